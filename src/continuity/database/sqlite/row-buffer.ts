import type { StatementSync } from 'node:sqlite';
import { EXPORT_TABLES, type ExportTable } from '../queries/export-tables.ts';
import type { RowBuffer } from '../database.ts';
import type { Values } from '../query.ts';
import { copyDefinition, copyTable, type ScratchDatabase } from './scratch-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** Buffers the rows of an empty store in tables with the same definitions, so that the constraints of the schema are checked row by row. */
export function createRowBuffer(
  scratch: ScratchDatabase,
  path: string,
): Omit<RowBuffer, 'transaction' | 'close'> {
  const { connection, schema } = scratch;
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw sqliteFault(error, path);
    }
  };
  const indexes = attempt(() => EXPORT_TABLES.flatMap(({ name }) => copyDefinition(scratch, name)));
  // The other indexes are created after the rows, which is faster.
  for (const { sql } of indexes.filter(({ isUnique }) => isUnique)) attempt(() => connection.exec(sql));
  const inserts = new Map(
    EXPORT_TABLES.map((table) => [table, attempt(() => connection.prepare(insertInto(schema, table)))]),
  );
  return {
    write: (work) => {
      attempt(() => connection.exec('BEGIN'));
      work((table, values) => attempt(() => addRow(inserts.get(table) as StatementSync, table, values)));
      attempt(() => connection.exec('COMMIT'));
    },
    prepare: async () => {
      for (const { sql, isUnique } of indexes) {
        if (!isUnique) attempt(() => connection.exec(sql));
        await new Promise(setImmediate);
      }
    },
    insert: () =>
      attempt(() => {
        for (const { name } of EXPORT_TABLES) copyTable(scratch, name);
        connection.exec(
          'INSERT INTO memory_search (rowid, key, value) SELECT id, key, value FROM main.memories WHERE superseded_at IS NULL',
        );
      }),
  };
}

function insertInto(schema: string, { name, columns }: ExportTable): string {
  return `INSERT INTO ${schema}.${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

function addRow(statement: StatementSync, { columns }: ExportTable, values: Values): void {
  statement.run(...columns.map((column) => values[column] as string | number | null));
}
