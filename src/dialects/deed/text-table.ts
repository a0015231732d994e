import { isPlainObject } from '../../base/json.ts';
import type { Paint } from '../../base/paint.ts';
import { cell, isHash, timeCell } from './text-cell.ts';

/** How a table is laid out. */
export interface TableLayout {
  readonly paint: Paint;
  /** The width of the terminal; infinite in a pipe. */
  readonly columns: number;
  readonly nowMs: number;
  /** The columns that the command shows; by default all columns that are useful to people. */
  readonly shown?: readonly string[] | undefined;
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

const GAP = 2;
const MIN_WIDTH = 8;

/** Renders rows as a table that fits the width: long texts are cut first, then the last columns are left out. */
export function renderTable(rows: readonly unknown[], layout: TableLayout): string {
  if (!rows.every(isPlainObject)) return rows.map((row) => `${cell(row)}\n`).join('');
  const fitting = fit(readColumns(rows, layout), layout.columns);
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => cut(text, fitting[index]?.width ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = layout.paint.bold(line(fitting.map(({ column }) => column.name)));
  const body = rows.map(
    (_, index) => `${colour(line(fitting.map(({ column }) => column.cells[index] ?? '')), layout.paint)}\n`,
  );
  return `${head}\n${body.join('')}`;
}

function readColumns(
  rows: readonly Readonly<Record<string, unknown>>[],
  layout: TableLayout,
): readonly Column[] {
  const present = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== '_untrusted',
  );
  const chosen = layout.shown?.filter((name) => present.includes(name)) ?? [];
  const names = chosen.length > 0 ? chosen : present.filter((name) => isWorthShowing(name, rows));
  return names.map((name) => {
    const isTime = rows.some((row) => timeCell(row[name], layout.nowMs) !== undefined);
    return {
      name: isTime ? name.replace(/_(?:at|iso)$/u, '') : name,
      cells: shortIds(
        rows.map((row) => timeCell(row[name], layout.nowMs) ?? cell(row[name])),
        layout.columns,
      ),
    };
  });
}

const ID = /^(?:task|run|job)_[0-9a-z]{13}$/u;
const ID_START = 8;

/** On a terminal, ids are as short as they can be; commands accept the start of an id. */
function shortIds(cells: readonly string[], columns: number): readonly string[] {
  if (!Number.isFinite(columns) || !cells.some((text) => ID.test(text))) return cells;
  const startOf = (text: string, length: number): string =>
    ID.test(text) ? text.slice(0, text.indexOf('_') + 1 + length) : text;
  const distinct = new Set(cells).size;
  let length = ID_START;
  while (length < 13 && new Set(cells.map((text) => startOf(text, length))).size < distinct) length += 1;
  return cells.map((text) => startOf(text, length));
}

/** Whether a column has values that people can read: not only hashes and nested values. */
function isWorthShowing(name: string, rows: readonly Readonly<Record<string, unknown>>[]): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.length === 0 || !values.every((value) => isHash(value) || isNested(value));
}

function isNested(value: unknown): boolean {
  return isPlainObject(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'));
}

interface FittingColumn {
  readonly column: Column;
  readonly width: number;
}

function fit(columns: readonly Column[], room: number): readonly FittingColumn[] {
  const widths = columns.map(({ name, cells }) => Math.max(name.length, ...cells.map((text) => text.length)));
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
  while (total() > room) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) > MIN_WIDTH)
      widths[widest] = Math.max(MIN_WIDTH, (widths[widest] ?? 0) - (total() - room));
    else if (widths.length > 1) widths.pop();
    else break;
  }
  return widths.map((width, index) => ({ column: columns[index] as Column, width }));
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text.padEnd(width);
}

const STATES: readonly (readonly [RegExp, keyof Paint])[] = [
  [/\b(?:failure|failed|denied|timeout|damaged|lost|fail|blocked)\b/u, 'red'],
  [/\b(?:waiting|interrupted|warn|in_progress|running)\b/u, 'yellow'],
  [/\b(?:success|succeeded|completed|pass|done)\b/u, 'green'],
];

/** Colours the word of a state, once per line. */
function colour(line: string, paint: Paint): string {
  for (const [state, style] of STATES)
    if (state.test(line)) return line.replace(state, (word) => paint[style](word));
  return line;
}
