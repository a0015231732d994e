const COLUMNS = 132;
const CHARACTER = { width: 7.25, height: 17, size: 12 } as const;
const MARGIN = 16;
const BAR = 26;

const COLOURS: Readonly<Record<string, string>> = {
  '0': 'fill="#d7dae0"',
  '1': 'fill="#ffffff" font-weight="bold"',
  '2': 'fill="#8b93a1"',
  '31': 'fill="#f47067"',
  '32': 'fill="#6bc46d"',
  '33': 'fill="#daaa3f"',
};

/** Renders text with terminal colours as an SVG without external resources; long lines are truncated. */
export function drawTerminal(text: string, title: string): string {
  const lines = text.trimEnd().split('\n');
  const width = Math.round(2 * MARGIN + COLUMNS * CHARACTER.width);
  const height = BAR + 2 * MARGIN + lines.length * CHARACTER.height;
  const rendered = lines.map((line, index) => {
    const y = BAR + MARGIN + (index + 0.75) * CHARACTER.height;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${drawLine(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="${CHARACTER.size}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1c2128"/>`,
    ...['#f47067', '#daaa3f', '#6bc46d'].map(
      (colour, index) => `<circle cx="${18 + index * 18}" cy="16" r="5" fill="${colour}"/>`,
    ),
    ...rendered,
    '</svg>\n',
  ].join('\n');
}

/** The start of an ANSI escape sequence. */
const ESCAPE = '\u001B[';

/** An escape sequence sets the colour of the text after it. */
function drawLine(line: string): string {
  let columnsLeft = COLUMNS;
  const [first = '', ...coloured] = line
    .split(ESCAPE)
    .map((piece, index) => (index === 0 ? `0m${piece}` : piece));
  return [first, ...coloured]
    .map((piece) => {
      const end = piece.indexOf('m');
      const text = piece.slice(end + 1);
      const shown = text.length > columnsLeft ? `${text.slice(0, Math.max(0, columnsLeft - 1))}…` : text;
      if (shown === '' || columnsLeft <= 0) return '';
      columnsLeft -= shown.length;
      return `<tspan ${COLOURS[piece.slice(0, end)] ?? COLOURS['0']}>${escapeXml(shown)}</tspan>`;
    })
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
