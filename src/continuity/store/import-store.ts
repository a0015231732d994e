import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { unsafeText } from '../../base/text.ts';
import type { Database, Session } from '../database/database.ts';
import { insertRow, readPage, EXPORT_TABLES, type ExportTable } from '../database/queries/export-tables.ts';
import type { Query, Values } from '../database/query.ts';
import { EXPORT_FORMAT, type OnRows } from './export-store.ts';

const ROWS_PER_REPORT = 1000;

/** Imports an export into an empty store, completely or not at all. */
export async function importStore(
  database: Database,
  lines: AsyncIterable<string>,
  onRows: OnRows = () => undefined,
): Promise<number> {
  return database.transaction(async (session) => {
    await assertEmpty(session);
    const queries = new Map(
      EXPORT_TABLES.map((table) => [table.name as string, { table, query: insertRow(table) }]),
    );
    let number = 0;
    for await (const line of lines) {
      number += 1;
      const row = parseLine(line, number);
      if (number === 1) assertHeader(row, database.schemaVersion);
      else await importRow(session, row, queries, number);
      if (number % ROWS_PER_REPORT === 0) onRows(number);
    }
    if (number === 0) throw invalid(1, 'is missing: the file is empty');
    return number - 1;
  });
}

async function importRow(
  session: Session,
  row: Record<string, unknown>,
  queries: ReadonlyMap<string, { table: ExportTable; query: Query<Values, unknown> }>,
  number: number,
): Promise<void> {
  const { type, ...given } = row;
  const known = queries.get(String(type));
  if (known === undefined) throw invalid(number, `has the unknown type "${String(type)}"`);
  const { table, query } = known;
  const values = addLaterColumns(table, given);
  if (Object.keys(values).join() !== table.columns.join())
    throw invalid(number, `does not have the columns of ${table.name}`);
  for (const [name, value] of Object.entries(values)) {
    if (
      typeof value === 'string'
        ? unsafeText(value) !== undefined
        : value !== null && !Number.isSafeInteger(value)
    )
      throw invalid(number, `has a value that cannot be stored in ${name}`);
  }
  try {
    await session.run(query, values);
  } catch (error) {
    // A constraint of the schema failed; other faults, such as a full disk, are not caused by the line.
    if (error instanceof Fault && error.code === 'E_UNKNOWN')
      throw invalid(number, 'violates a constraint of the schema', error);
    throw error;
  }
  if (table.name === 'memories' && values.superseded_at === null && session.fullText) {
    await session.run(session.fullText.add, {
      id: values.id as number,
      key: values.key as string,
      value: values.value as string,
    });
  }
}

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

/** Completes a row of an export of an earlier version. */
function addLaterColumns(table: ExportTable, row: Values): Values {
  const later = LATER_COLUMNS[table.name] ?? {};
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

/** An import cannot be merged, because that would change event ids; so the store must be empty. */
export async function assertEmpty(session: Session): Promise<void> {
  for (const table of EXPORT_TABLES) {
    const [row] = await session.all(readPage(table), { limit: 1 });
    if (row !== undefined) {
      throw new Fault('E_CONFLICT', 'The store is not empty.', {
        hint: 'Import into a new file with --db-path.',
        details: { reason: 'not-empty', table: table.name },
      });
    }
  }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isPlainObject(value)) return value;
  } catch {
    // Reported below, because the message of the parser quotes the line.
  }
  throw invalid(number, 'is not a JSON object');
}

function assertHeader(row: Record<string, unknown>, schemaVersion: number): void {
  if (row.type !== EXPORT_FORMAT.type || row.format !== EXPORT_FORMAT.format)
    throw invalid(1, 'is not the header of an export');
  if (
    !Number.isInteger(row.schema_version) ||
    Number(row.schema_version) < 1 ||
    Number(row.schema_version) > schemaVersion
  )
    throw invalid(1, `has schema version ${String(row.schema_version)}, expected at most ${schemaVersion}`);
}

function invalid(line: number, problem: string, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', `Line ${line} of the export ${problem}.`, {
    hint: 'Nothing was imported. Pass a file written by "store export".',
    details: { field: 'from', line },
    cause,
  });
}
