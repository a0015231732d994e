import { Fault } from '../../base/fault.ts';
import type { QueryRunner } from '../database/database.ts';
import { readEvents, type Event } from '../events/event.ts';
import { requireTask, type TaskRow } from './task.ts';

/** What a caller saw of a task before it decided to change it. */
export type SeenTask = { readonly [F in Field]?: TaskRow[F] | undefined };
type Field = 'status' | 'title' | 'description' | 'priority';

/** The kind of event that records a change of each field. */
const KINDS: Readonly<Record<Field, string>> = {
  status: 'task_status',
  title: 'task_edited',
  description: 'task_edited',
  priority: 'task_priority',
};
/** Texts are not repeated in a fault: they are long, and others wrote them. */
const SHOWN: ReadonlySet<Field> = new Set<Field>(['status', 'priority']);
const MAX_EVENTS = 20;

/**
 * Rejects a change of a task that has changed since the caller saw it, and names who changed it. The version of the task is not
 * compared, because heartbeats and finished dependencies change it too.
 */
export async function assertSeen(db: QueryRunner, id: string, seen: SeenTask): Promise<void> {
  const expected = Object.entries(seen).filter(([, value]) => value !== undefined) as [Field, string][];
  if (expected.length === 0) return;
  const row = await requireTask(db, id);
  const changed = expected.find(([field, value]) => row[field] !== value);
  if (changed === undefined) return;
  const [field, value] = changed;
  const last = await findChange(db, row, field);
  const by = last === undefined ? '' : `: ${last.agent_name} changed it at ${last.created_at}`;
  const what = SHOWN.has(field) ? `is ${row[field]}, not ${value}` : 'is not the expected one';
  throw new Fault('E_CONFLICT', `The ${field} of the task ${id} ${what}${by}.`, {
    hint: 'Nothing was changed. Read the task again, then decide.',
    details: {
      reason: `${field}-changed`,
      id,
      ...(SHOWN.has(field) && { [`expected_${field}`]: value, [field]: row[field] }),
      ...(last !== undefined && { changed_by: last.agent_name, changed_at: last.created_at }),
    },
  });
}

/** The event that set a field to its current value. An edit may have changed only the other text. */
async function findChange(db: QueryRunner, row: TaskRow, field: Field): Promise<Event | undefined> {
  const events = await readEvents(db, {
    taskId: row.id,
    kind: KINDS[field],
    ascending: false,
    includeArchived: true,
    limit: KINDS[field] === 'task_edited' ? MAX_EVENTS : 1,
  });
  return events.find(({ metadata }) => {
    const before = (metadata.before ?? {}) as Readonly<Record<string, unknown>>;
    return !Object.hasOwn(before, field) || before[field] !== row[field];
  });
}
