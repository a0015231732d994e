import type { EventBuffer, QueryRunner } from '../../database/database.ts';
import { forgetFocus } from '../../database/queries/agents.ts';
import { deleteDependency } from '../../database/queries/dependencies.ts';
import { EXPORT_TABLES, insertRow, type ExportTable } from '../../database/queries/export-tables.ts';
import { insertMemory, supersedeMemory } from '../../database/queries/memories.ts';
import { listOrphans, RECOMPUTE, replaceTask, updateMemory } from '../../database/queries/merge.ts';
import { deleteTask } from '../../database/queries/tasks.ts';
import type { KeyChange } from './merge-memories.ts';
import type { MergePlan } from './plan-merge.ts';
import { versionKey, type MemoryVersion } from './memory-timeline.ts';

/** Writes a merge. Contract: the plan was made in the same transaction, and with these events. */
export async function applyMerge(db: QueryRunner, plan: MergePlan, events: EventBuffer): Promise<void> {
  for (const row of plan.tasks.inserts) await db.run(insertInto('tasks'), { ...row, open_dependencies: 0 });
  for (const row of plan.tasks.updates) await db.run(replaceTask, row);
  for (const id of plan.tasks.deletions) {
    await db.run(forgetFocus, { task_id: id });
    await db.run(deleteTask, { id });
  }
  for (const { task_id, depends_on } of plan.dependencies.deletions)
    await db.run(deleteDependency, { task_id, depends_on });
  for (const row of plan.dependencies.inserts) await db.run(insertInto('dependencies'), { ...row });
  await events.insert(db);
  for (const change of plan.memories) await writeKey(db, change, events);
  await forgetOrphans(db);
  for (const row of plan.artifacts)
    await db.run(insertInto('artifacts'), { ...row, event_id: events.idOf(row.event_id) ?? UNKNOWN_EVENT });
  for (const query of RECOMPUTE) await db.run(query, {});
}

/** The source did not contain the event of a memory or a file. */
const UNKNOWN_EVENT = 0;

/**
 * Writes the versions of a key. Only one version of a key can be current, so all are first marked as replaced; links between versions need ids, so
 * they are written last.
 */
async function writeKey(db: QueryRunner, { versions }: KeyChange, events: EventBuffer): Promise<void> {
  const [only] = versions;
  // Most keys of a large import have one version and are new to the store, so there is nothing to mark as replaced.
  if (versions.length === 1 && only?.isNew === true) {
    const event_id = events.idOf(only.row.event_id) ?? UNKNOWN_EVENT;
    const values = { ...only.row, event_id, superseded_at: only.supersededAt, superseded_by: null };
    const inserted = await db.first(insertMemory, values);
    if (inserted !== undefined) await index(db, inserted.id, only);
    return;
  }
  const ids = new Map<string, number>();
  for (const { row, isNew } of versions) {
    if (isNew) continue;
    ids.set(versionKey(row), row.id);
    if (db.fullText) await db.run(db.fullText.remove, { id: row.id });
    await db.run(updateMemory, { ...row, superseded_at: row.updated_at, superseded_by: null });
  }
  for (const { row, isNew } of versions) {
    if (!isNew) continue;
    const event_id = events.idOf(row.event_id) ?? UNKNOWN_EVENT;
    const inserted = await db.first(insertMemory, {
      ...row,
      event_id,
      superseded_at: row.updated_at,
    });
    if (inserted !== undefined) ids.set(versionKey(row), inserted.id);
  }
  for (const { row, successor, supersededAt } of versions) {
    const id = ids.get(versionKey(row)) as number;
    const superseded_by = successor === undefined ? null : (ids.get(versionKey(successor.row)) ?? null);
    await db.run(updateMemory, { ...row, id, superseded_at: supersededAt, superseded_by });
    await index(db, id, { row, supersededAt });
  }
}

/** The full-text index contains the current versions. */
async function index(
  db: QueryRunner,
  id: number,
  { row, supersededAt }: Pick<MemoryVersion, 'row' | 'supersededAt'>,
): Promise<void> {
  if (supersededAt === null && db.fullText)
    await db.send(db.fullText.add, { id, key: row.key, value: row.value });
}

/** Supersedes memories of tasks that the other side deleted. Both sides compute the same time. */
async function forgetOrphans(db: QueryRunner): Promise<void> {
  for (const { id, updated_at, deleted_at } of await db.all(listOrphans, {})) {
    if (db.fullText) await db.run(db.fullText.remove, { id });
    await db.run(supersedeMemory, { id, at: updated_at > deleted_at ? updated_at : deleted_at });
  }
}

function insertInto(name: ExportTable['name']): ReturnType<typeof insertRow> {
  return insertRow(EXPORT_TABLES.find((table) => table.name === name) as ExportTable);
}
