import { ownMember } from '../../base/own-member.ts';
import type { Database, QueryRunner } from '../database/database.ts';
import { readPage, EXPORT_TABLES } from '../database/queries/export-tables.ts';
import { eventTime } from '../database/queries/merge.ts';
import type { Values } from '../database/query.ts';

/** The first line of an export. Its last line is the end; exports of version 0.1.0 have none. */
export const EXPORT_FORMAT = { type: 'store', format: 1 } as const;
export const EXPORT_END = 'end';

export const PAGE_ROWS = 2000;

const HEADER_AND_END = 2;

/** Called at intervals with the number of rows so far. */
export type OnRows = (rows: number) => void;

export interface ExportOptions {
  readonly onRows?: OnRows | undefined;
  /** Only what was written after this event, or from this time on. */
  readonly since?: string | undefined;
}

/** The columns of the tables that are merged with their last change; the others belong to one machine. */
const CHANGE_TIMES: Readonly<Record<string, readonly string[]>> = {
  tasks: ['updated_at'],
  dependencies: ['created_at'],
  events: ['created_at'],
  memories: ['updated_at', 'confirmed_at', 'superseded_at'],
  artifacts: ['created_at'],
};

/** Returns a test for rows that changed since an event or a time. */
async function changedSince(
  db: QueryRunner,
  since: string,
): Promise<(table: string, row: Values) => boolean> {
  const eventId = /^\d+$/u.test(since) ? Number(since) : undefined;
  const from =
    eventId === undefined ? since : ((await db.first(eventTime, { id: eventId }))?.created_at ?? '');
  return (table, row) =>
    // Events that another machine recorded earlier have later ids.
    table === 'events' && eventId !== undefined
      ? Number(row.id) > eventId
      : (ownMember(CHANGE_TIMES, table) ?? []).some(
          (column) => ((row[column] as string | null) ?? '') >= from,
        );
}

/** Writes the whole store, or what changed since, as lines of JSON. Returns the number of rows. */
export async function exportStore(
  database: Database,
  write: (line: string) => void,
  { onRows = () => undefined, since }: ExportOptions = {},
): Promise<number> {
  return database.snapshot(async (db) => {
    let lines = 0;
    for await (const page of readExportPages(db, database.schemaVersion, since)) {
      for (const line of page) write(line);
      lines += page.length;
      onRows(lines - 1);
    }
    return lines - HEADER_AND_END;
  });
}

/**
 * Reads a store as pages of lines of JSON: a header, all rows in the order of their keys, and the end with their number, so that a file that
 * was cut off is noticed. The output is deterministic, and an imported export exports to the same bytes.
 */
export async function* readExportPages(
  db: QueryRunner,
  schemaVersion: number,
  since?: string,
): AsyncGenerator<string[]> {
  const isExported = since === undefined ? undefined : await changedSince(db, since);
  yield [
    JSON.stringify({
      ...EXPORT_FORMAT,
      schema_version: schemaVersion,
      has_end: true,
      ...(since !== undefined && { since }),
    }),
  ];
  let rows = 0;
  for (const table of EXPORT_TABLES) {
    if (isExported !== undefined && !(table.name in CHANGE_TIMES)) continue;
    const next = readPage(table, 'after');
    let page = await db.all(readPage(table), { limit: PAGE_ROWS });
    for (;;) {
      const exported = page.filter((row) => isExported === undefined || isExported(table.name, row));
      rows += exported.length;
      yield exported.map((row) => JSON.stringify({ type: table.name, ...row }));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_ROWS) break;
      page = await db.all(next, { ...last, limit: PAGE_ROWS });
    }
  }
  yield [JSON.stringify({ type: EXPORT_END, rows })];
}
