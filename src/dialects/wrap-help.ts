import { wrapText } from '../base/wrap-text.ts';

/** The width of help that does not go to a terminal. */
const DEFAULT_COLUMNS = 80;
/** A description that would start further right gets its own lines, with this indentation. */
const NEXT_LINE = 6;

/**
 * Breaks the long lines of a help text between words, to the width of the terminal; descriptions stay in their column. Examples stay whole,
 * because people copy them.
 */
export function wrapHelp(text: string, columns: number): string {
  const width = Number.isFinite(columns) ? columns : DEFAULT_COLUMNS;
  let section = '';
  return text
    .split('\n')
    .map((line) => {
      if (/^\S/u.test(line)) section = line;
      return section === 'Examples' || line.length <= width ? line : wrapLine(line, width);
    })
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const [, left, description] = /^( +\S.*? {2,})(\S.*)$/u.exec(line) ?? [];
  if (left === undefined || description === undefined) {
    const indent = line.length - line.trimStart().length;
    return `${' '.repeat(indent)}${wrapText(line.trimStart(), indent, width)}`;
  }
  if (left.length <= width / 2) return `${left}${wrapText(description, left.length, width)}`;
  return `${left.trimEnd()}\n${' '.repeat(NEXT_LINE)}${wrapText(description, NEXT_LINE, width)}`;
}
