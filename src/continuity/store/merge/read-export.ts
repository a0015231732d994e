import { readExportRows } from '../export-lines.ts';
import type { EventRow } from '../../events/event.ts';
import type { OnImport } from './on-import.ts';
import { noRows, type ImportedRows } from './imported-rows.ts';

/** Tables that belong to one machine: positions in its log, answers of its calls, and what is computed from other rows. */
const OWN_TABLES: ReadonlySet<string> = new Set(['lost_claims', 'task_counts', 'agent_states', 'requests']);

const ROWS_PER_REPORT = 1000;

/** Reads the rows of an export that are merged. Nearly all are events, so these are passed on one by one. */
export async function readExport(
  lines: AsyncIterable<string>,
  schemaVersion: number,
  onEvent: (event: EventRow) => void,
  onRows: OnImport = () => undefined,
): Promise<ImportedRows> {
  const rows = noRows();
  let count = 0;
  for await (const { table, values } of readExportRows(lines, schemaVersion)) {
    if (table.name === 'events') onEvent(values as unknown as EventRow);
    else if (!OWN_TABLES.has(table.name)) (rows[table.name as keyof ImportedRows] as unknown[]).push(values);
    count += 1;
    if (count % ROWS_PER_REPORT === 0) onRows(count, 'read');
  }
  return rows;
}
