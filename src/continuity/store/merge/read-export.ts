import { readExportRows } from '../export-lines.ts';
import { noRows, type ImportedRows } from './imported-rows.ts';

/** Tables that belong to one machine: positions in its log, answers of its calls, and what is computed from other rows. */
const OWN_TABLES: ReadonlySet<string> = new Set(['lost_claims', 'task_counts', 'agent_states', 'requests']);

/** Reads the rows of an export that are merged. */
export async function readExport(lines: AsyncIterable<string>, schemaVersion: number): Promise<ImportedRows> {
  const rows = noRows();
  for await (const { table, values } of readExportRows(lines, schemaVersion))
    if (!OWN_TABLES.has(table.name)) (rows[table.name as keyof ImportedRows] as unknown[]).push(values);
  return rows;
}
