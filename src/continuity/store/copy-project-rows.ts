import type { Database, QueryRunner } from '../database/database.ts';
import { newestMessages, newestPrompts, newestReports } from '../database/queries/brief-events.ts';
import { newestDeltas } from '../database/queries/events.ts';
import { EXPORT_TABLES } from '../database/queries/export-tables.ts';
import { PROJECT_TABLES, type Reader } from '../database/queries/project-rows.ts';
import type { Values } from '../database/query.ts';
import type { EventRow } from '../events/event.ts';
import { PAGE_ROWS } from './export-store.ts';
import { addRow } from './import-store.ts';

/** How many of the newest events are copied: the cost of a copy must not grow with the log. */
const NEWEST = 1000;
/** How many prompts, answers and reports are copied as well, even if they are older than many tool calls. */
const NEWEST_OF_KIND = 100;

const EVENTS = EXPORT_TABLES.filter(({ name }) => name === 'events');

/** Copies what an agent of a project may see into an empty store, with the ids of the rows. Of the events, only the newest are copied. */
export async function copyProjectRows(from: Database, to: Database, reader: Reader): Promise<void> {
  const values = { ...reader, limit: PAGE_ROWS };
  await from.snapshot(async (source) => {
    // Requested together, because most projects have one page of each table.
    const [events, ...pages] = await Promise.all([
      readNewest(source, reader.project),
      ...PROJECT_TABLES.map(({ first }) => source.all(first, values)),
    ]);
    await to.transaction(async (target) => {
      for (const [index, { table, next }] of PROJECT_TABLES.entries())
        for (let page = pages[index] ?? []; page.length > 0;) {
          for (const row of page) await addRow(target, table, row);
          page = page.length < PAGE_ROWS ? [] : await source.all(next, { ...page.at(-1), ...values });
        }
      for (const table of EVENTS) for (const row of events) await addRow(target, table, row);
      for (const query of target.afterImport ?? []) await target.all(query, {});
    });
  });
}

/** Reads the newest events of a project, and the newest without a project; oldest first. */
async function readNewest(source: QueryRunner, project: string): Promise<readonly Values[]> {
  const ofKind = { project_id: project, limit: NEWEST_OF_KIND };
  const newest = { since: 0, project_id: project, limit: NEWEST };
  const pages = await Promise.all([
    source.all(newestDeltas('project'), newest),
    source.all(newestDeltas('unassigned'), newest),
    source.all(newestPrompts('project'), ofKind),
    source.all(newestMessages('project'), ofKind),
    source.all(newestReports('project'), { ...ofKind, task_id: '' }),
  ]);
  const byId = new Map(pages.flat().map((row) => [(row as unknown as EventRow).id, row as Values]));
  return [...byId].toSorted(([left], [right]) => left - right).map(([, row]) => row);
}
