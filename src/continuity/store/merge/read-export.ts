import { invalidLine, parseHeader, parseRow } from '../export-lines.ts';
import { noRows, type ImportedRows } from './imported-rows.ts';

/** Tables that belong to one machine: positions in its log, answers of its calls, and what is computed from other rows. */
const OWN_TABLES: ReadonlySet<string> = new Set(['lost_claims', 'task_counts', 'agent_states', 'requests']);

/** Reads the rows of an export that are merged. */
export async function readExport(lines: AsyncIterable<string>, schemaVersion: number): Promise<ImportedRows> {
  const rows = noRows();
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (number === 1) {
      parseHeader(line, schemaVersion);
      continue;
    }
    const { table, values } = parseRow(line, number);
    if (!OWN_TABLES.has(table.name)) (rows[table.name as keyof ImportedRows] as unknown[]).push(values);
  }
  if (number === 0) throw invalidLine(1, 'is missing: the file is empty');
  return rows;
}
