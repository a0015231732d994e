import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { unsafeText } from '../../base/text.ts';
import { EXPORT_TABLES, type ExportTable } from '../database/queries/export-tables.ts';
import type { Values } from '../database/query.ts';
import { EXPORT_END, EXPORT_FORMAT } from './export-store.ts';

/** A row of an export with all columns of its table. */
export interface ExportRow {
  readonly table: ExportTable;
  readonly values: Values;
  /** The number of the line in the file. */
  readonly line: number;
}

/** Reads the rows of an export. If the file was cut off, it throws, at the latest after the last line. */
export async function* readExportRows(
  lines: AsyncIterable<string>,
  schemaVersion: number,
): AsyncGenerator<ExportRow> {
  let number = 0;
  let [hasEnd, isEnded] = [false, false];
  for await (const line of lines) {
    number += 1;
    if (isEnded) throw invalidLine(number, 'follows its end');
    if (number === 1) ({ hasEnd } = parseHeader(line, schemaVersion));
    else if (hasEnd && isEnd(line, number)) isEnded = true;
    else yield parseRow(line, number);
  }
  if (number === 0) throw invalidLine(1, 'is missing: the file is empty');
  if (hasEnd !== isEnded) throw invalidLine(number + 1, 'is missing: the file was cut off');
}

/** Whether a line is the end line of an export. Throws if its number of rows is wrong. */
function isEnd(line: string, number: number): boolean {
  const { type, rows } = parseLine(line, number);
  if (type !== EXPORT_END) return false;
  const found = number - 2;
  if (rows !== found) throw invalidLine(number, `counts ${String(rows)} rows, but ${found} precede it`);
  return true;
}

export interface ExportHeader {
  /** Whether the export has only a part of the rows. */
  readonly isPartial: boolean;
  readonly hasEnd: boolean;
}

/** Parses the first line of an export. */
export function parseHeader(line: string, schemaVersion: number): ExportHeader {
  const row = parseLine(line, 1);
  if (row.type !== EXPORT_FORMAT.type || row.format !== EXPORT_FORMAT.format)
    throw invalidLine(1, 'is not the header of an export');
  if (
    !Number.isInteger(row.schema_version) ||
    Number(row.schema_version) < 1 ||
    Number(row.schema_version) > schemaVersion
  )
    throw invalidLine(
      1,
      `has schema version ${String(row.schema_version)}, expected at most ${schemaVersion}`,
    );
  return { isPartial: row.since !== undefined, hasEnd: row.has_end === true };
}

/** Parses the line of a row and checks it against the columns of its table. */
function parseRow(line: string, number: number): ExportRow {
  const { type, ...given } = parseLine(line, number);
  const table = TABLES.get(String(type));
  if (table === undefined) throw invalidLine(number, `has the unknown type "${String(type)}"`);
  const values = addLaterColumns(table, given);
  if (Object.keys(values).join() !== table.columns.join())
    throw invalidLine(number, `does not have the columns of ${table.name}`);
  for (const [name, value] of Object.entries(values)) {
    if (
      typeof value === 'string'
        ? unsafeText(value) !== undefined
        : value !== null && !Number.isSafeInteger(value)
    )
      throw invalidLine(number, `has a value that cannot be stored in ${name}`);
  }
  return { table, values, line: number };
}

const TABLES: ReadonlyMap<string, ExportTable> = new Map(EXPORT_TABLES.map((table) => [table.name, table]));

/** The columns that later schema versions added, with the values that a migration gives them. */
const LATER_COLUMNS: Readonly<Record<string, Readonly<Record<string, (row: Values) => unknown>>>> = {
  tasks: {
    claim_session: () => null,
    claim_number: ({ claimed_by }) => (claimed_by === null ? 0 : 1),
    attempts: () => 0,
    retry_at: () => null,
  },
  memories: { confirmed_at: ({ updated_at }) => updated_at, superseded_by: () => null },
};

/** Adds the columns that a row of an export of an earlier version does not have. */
function addLaterColumns(table: ExportTable, row: Values): Values {
  const later = ownMember(LATER_COLUMNS, table.name) ?? {};
  const missing = Object.keys(later).filter((column) => !(column in row));
  if (missing.length === 0) return row;
  const completed: Values = {
    ...row,
    ...Object.fromEntries(missing.map((column) => [column, later[column]?.(row)])),
  };
  const [ordered, others] = [
    table.columns,
    Object.keys(row).filter((column) => !table.columns.includes(column)),
  ];
  return Object.fromEntries(
    [...ordered, ...others]
      .filter((column) => column in completed)
      .map((column) => [column, completed[column]]),
  );
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isPlainObject(value)) return value;
  } catch {
    // Reported below, because the message of the parser quotes the line.
  }
  throw invalidLine(number, 'is not a JSON object');
}

export function invalidLine(line: number, problem: string, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', `Line ${line} of the export ${problem}.`, {
    hint: 'Nothing was imported. Pass a file written by "store export".',
    details: { field: 'from', line },
    cause,
  });
}
