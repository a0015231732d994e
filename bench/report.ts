/** One line of a report: the time, the ratio and the maximum of the ratio. */
export interface Row {
  readonly name: string;
  readonly milliseconds: number;
  readonly ratio: number;
  readonly target?: number;
}

export interface Report {
  readonly title: string;
  /** The baseline of the ratios. */
  readonly note: string;
  readonly rows: readonly Row[];
}

export function missedTargets(report: Report): readonly string[] {
  return report.rows
    .filter(({ ratio, target }) => target !== undefined && !(ratio <= target))
    .map(({ name, ratio, target }) => `${report.title}: ${name} is ${ratio.toFixed(2)}, target ${target}`);
}

/** Renders a report as a table that reads as text and as Markdown. */
export function renderReport({ title, note, rows }: Report): string {
  const cells = rows.map(({ name, milliseconds, ratio, target }) => [
    name,
    milliseconds < 1 ? milliseconds.toFixed(3) : milliseconds.toFixed(1),
    ratio.toFixed(2),
    target === undefined ? '' : `≤ ${target}`,
    target === undefined ? '' : ratio <= target ? 'met' : 'MISSED',
  ]);
  const table = [['', 'median ms', 'ratio', 'target', ''], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(6, ...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map(
    (row) =>
      `| ${row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return `## ${title}\n\n${note}\n\n${[lines[0], rule, ...lines.slice(1)].join('\n')}\n`;
}
