import type { QueryRunner } from '../database/database.ts';
import { newestClosings } from '../database/queries/brief-events.ts';
import { findTask } from '../database/queries/tasks.ts';
import type { EventRow } from '../events/event.ts';
import { newestFirst } from './newest-first.ts';

const SHOWN = 4;

/** The tasks of a project that were completed or blocked last, newest first, with their titles; without the task in focus. */
export async function readClosings(
  db: QueryRunner,
  projectId: string | undefined,
  taskId: string | undefined,
): Promise<EventRow[]> {
  const filter = projectId !== undefined && 'project';
  const rows = await db.all(newestClosings(filter), { project_id: projectId ?? '', limit: SHOWN * 4 });
  const closed = new Map<string, EventRow>();
  for (const row of newestFirst(rows))
    if (row.task_id !== null && !closed.has(row.task_id)) closed.set(row.task_id, row);
  if (taskId !== undefined) closed.delete(taskId);
  const described = await Promise.all([...closed].slice(0, SHOWN).map(([id, row]) => describe(db, id, row)));
  return described.filter((row) => row !== undefined);
}

/** Undefined if the task is open again, or deleted. */
async function describe(db: QueryRunner, id: string, row: EventRow): Promise<EventRow | undefined> {
  const task = await db.first(findTask, { id });
  const isClosed = task?.status === 'completed' || task?.status === 'blocked';
  return isClosed ? { ...row, message: `${task.title} (${task.status}): ${row.message}` } : undefined;
}
