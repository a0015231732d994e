/** Secrets in the columns of tables: Markdown, the output of database clients, and files of comma-separated values. */
import { isGenerated, isStrong } from './context-pattern.ts';
import type { SecretFinding } from './secret-finding.ts';
import { isSecretName, kindOfName } from './secret-name.ts';

interface Line {
  readonly text: string;
  readonly start: number;
}

interface Cell {
  readonly text: string;
  readonly start: number;
}

interface Table {
  readonly separator: '|' | ',';
  readonly names: readonly string[];
}

/** A wider line is data, not a table that a person reads. */
const MAX_LINE_CHARACTERS = 2000;

export function findInTables(text: string): SecretFinding[] {
  if (!/[|,]/u.test(text) || !text.includes('\n')) return [];
  const found: SecretFinding[] = [];
  let table: Table | undefined;
  let previous: Line = { text: '', start: 0 };
  for (const line of readLines(text)) {
    if (isRule(line.text)) table ??= readHeader(previous, '|');
    else if (table && isRow(line, table)) found.push(...findInRow(line, table));
    else
      table = /^[ \t]*"?\w[\w "-]{0,60}(?:,[\w "-]{1,60})+$/u.test(line.text)
        ? readHeader(line, ',')
        : undefined;
    previous = line;
  }
  return found;
}

function* readLines(text: string): Generator<Line> {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = end - start > MAX_LINE_CHARACTERS ? '' : text.slice(start, end);
    yield { text: line.endsWith('\r') ? line.slice(0, -1) : line, start };
    start = end + 1;
  }
}

/** Tells whether a line only separates the header of a table from its rows: `|---|:--:|`, `----+----`. */
function isRule(line: string): boolean {
  return /^[ \t|+:-]+$/u.test(line) && line.includes('--') && /[|+]/u.test(line);
}

/** Returns the table that a header starts, if one of its columns contains secrets. */
function readHeader(line: Line, separator: Table['separator']): Table | undefined {
  const names = splitCells(line, separator).map(({ text }) => text);
  return names.length > 1 && names.some(isSecretName) ? { separator, names } : undefined;
}

function isRow(line: Line, { separator, names }: Table): boolean {
  return line.text.includes(separator) && splitCells(line, separator).length === names.length;
}

function findInRow(line: Line, { separator, names }: Table): SecretFinding[] {
  return splitCells(line, separator).flatMap(({ text, start }, column) => {
    const name = names[column] ?? '';
    if (!isSecretName(name) || /\s/u.test(text)) return [];
    const kind = kindOfName(name);
    // A column may compare passwords with tokens and keys, so that only a password may be short.
    const isSecret = kind === 'password' ? isGenerated(text) : isStrong(text);
    return isSecret ? [{ kind, start, end: start + text.length }] : [];
  });
}

/** Splits a line into its cells, without the separators and quotes around their texts. */
function splitCells({ text, start }: Line, separator: Table['separator']): Cell[] {
  const cells: Cell[] = [];
  let at = start;
  for (const part of text.split(separator)) {
    const [before = ''] = /^[\s`"'*]*/u.exec(part) ?? [];
    const inner = part.slice(before.length);
    cells.push({ text: trimSigns(inner), start: at + before.length });
    at += part.length + 1;
  }
  if (separator === ',') return cells;
  // Most tables have a separator at both ends of a line.
  return cells.slice(cells[0]?.text === '' ? 1 : 0, cells.at(-1)?.text === '' ? -1 : undefined);
}

function trimSigns(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t`"\'*'.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}
