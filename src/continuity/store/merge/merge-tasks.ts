import { canonicalJson } from '../../../base/json.ts';
import type { QueryRunner } from '../../database/database.ts';
import { lastChanges, lastDeletion } from '../../database/queries/merge.ts';
import { findTask } from '../../database/queries/tasks.ts';
import { WAITING_FOR_DEPENDENCY } from '../../tasks/change-task.ts';
import type { TaskRow } from '../../tasks/task.ts';
import { compareText, type DecisiveEvent } from './match-events.ts';
import type { MergeCounter } from './merge-report.ts';

export interface TaskChanges {
  readonly inserts: TaskRow[];
  readonly updates: TaskRow[];
  readonly deletions: string[];
}

/** The events of the other store that decide about tasks, and those of them that this store does not have. */
interface TheirLog {
  readonly log: readonly DecisiveEvent[];
  readonly newLog: readonly DecisiveEvent[];
  readonly isForeign: boolean;
}

/**
 * Merges tasks. Status, with claim and attempts, priority, and title with description are each taken from the side that changed them
 * last, by the log. A task that one side deleted stays deleted, unless the other side changed it later. The
 * result does not depend on which side imports.
 */
export async function mergeTasks(
  db: QueryRunner,
  rows: readonly TaskRow[],
  { log: allEvents, newLog, isForeign }: TheirLog,
  counter: MergeCounter,
): Promise<TaskChanges> {
  const changes: TaskChanges = { inserts: [], updates: [], deletions: [] };
  const theirLog = Map.groupBy(allEvents, ({ task_id }) => task_id);
  const added = Map.groupBy(newLog, ({ task_id }) => task_id);
  for (const theirs of rows.map(asReady)) {
    const found = await db.first(findTask, { id: theirs.id });
    const ours = found && asReady(found);
    const log = theirLog.get(theirs.id) ?? [];
    if (ours === undefined) {
      const deleted = (await db.first(lastDeletion, { task_id: theirs.id }))?.at ?? '';
      if (deleted >= theirs.updated_at) counter.skip('task', theirs.id, 'it was deleted here');
      else changes.inserts.push(theirs);
      continue;
    }
    const own = new Map((await db.all(lastChanges, { task_id: ours.id })).map(({ kind, at }) => [kind, at]));
    const merged = mergeTask({ row: ours, log: own }, { row: theirs, log: timesOf(log), isForeign });
    if (isSameTask(merged, ours)) counter.unchanged.tasks += 1;
    else changes.updates.push(merged);
    reportConflicts(ours, theirs, { own, log, added: added.get(ours.id) ?? [], merged }, counter);
  }
  const given = new Set(rows.map(({ id }) => id));
  for (const event of newLog.filter(({ kind }) => kind === 'task_deleted')) {
    const ours = event.task_id === null ? undefined : await db.first(findTask, { id: event.task_id });
    if (ours === undefined || given.has(ours.id)) continue;
    if (event.created_at >= ours.updated_at) changes.deletions.push(ours.id);
    else counter.conflict('task', ours.id, 'deleted there, but changed here later: it is kept');
  }
  counter.imported.tasks += changes.inserts.length;
  counter.changed.tasks += changes.updates.length + changes.deletions.length;
  return changes;
}

/** Whether a task waits for others is computed after the merge, from the dependencies of both sides. */
function asReady(row: TaskRow): TaskRow {
  const isWaiting = row.status === 'blocked' && row.blocked_reason === WAITING_FOR_DEPENDENCY;
  return isWaiting ? { ...row, status: 'pending', blocked_reason: null } : row;
}

/** A task, and when its status and its priority were last changed. */
interface Side {
  readonly row: TaskRow;
  readonly log: ReadonlyMap<string, string>;
  readonly isForeign?: boolean;
}

function mergeTask(ours: Side, theirs: Side): TaskRow {
  const text = later(ours, theirs, 'task_edited').row;
  const status = later(ours, theirs, 'task_status').row;
  const priority = later(ours, theirs, 'task_priority').row;
  const newer = (column: 'version' | 'claim_number'): number =>
    Math.max(ours.row[column], theirs.row[column]);
  return {
    ...status,
    title: text.title,
    description: text.description,
    project_id: text.project_id,
    priority: priority.priority,
    version: newer('version'),
    claim_number: newer('claim_number'),
    created_at: [ours.row.created_at, theirs.row.created_at].sort(compareText)[0] as string,
    updated_at: [ours.row.updated_at, theirs.row.updated_at].sort(compareText)[1] as string,
    open_dependencies: ours.row.open_dependencies,
  };
}

/**
 * The side that changed something last. What has no entry in the log was set when the task was created; other tools keep no log of edits.
 */
function later(ours: Side, theirs: Side, kind: string): Side {
  const at = ({ row, log, isForeign }: Side): string =>
    log.get(kind) ?? (isForeign && kind === 'task_edited' ? row.updated_at : row.created_at);
  const order =
    compareText(at(ours), at(theirs)) ||
    compareText(ours.row.updated_at, theirs.row.updated_at) ||
    (theirs.isForeign ? -1 : compareText(comparable(ours.row), comparable(theirs.row)));
  return order >= 0 ? ours : theirs;
}

/** The content of a task without what a merge computes. */
function comparable(row: TaskRow): string {
  return canonicalJson({ ...row, version: 0, claim_number: 0, open_dependencies: 0 });
}

function isSameTask(left: TaskRow, right: TaskRow): boolean {
  return (
    comparable(left) === comparable(right) &&
    left.version === right.version &&
    left.claim_number === right.claim_number
  );
}

function timesOf(log: readonly DecisiveEvent[]): Map<string, string> {
  const times = new Map<string, string>();
  for (const { kind, created_at } of log)
    if (created_at > (times.get(kind) ?? '')) times.set(kind, created_at);
  return times;
}

interface Compared {
  readonly own: ReadonlyMap<string, string>;
  readonly log: readonly DecisiveEvent[];
  /** The events of the task that this store did not have. */
  readonly added: readonly DecisiveEvent[];
  readonly merged: TaskRow;
}

/** Both sides changed the same thing without knowing of each other. */
function reportConflicts(ours: TaskRow, theirs: TaskRow, compared: Compared, counter: MergeCounter): void {
  for (const [kind, column] of [
    ['task_status', 'status'],
    ['task_priority', 'priority'],
  ] as const) {
    const at = compared.own.get(kind);
    const isNew = compared.added.some((event) => event.kind === kind);
    const isKnownThere = compared.log.some((event) => event.kind === kind && event.created_at === at);
    if (at === undefined || !isNew || isKnownThere || ours[column] === theirs[column]) continue;
    counter.conflict(
      'task',
      ours.id,
      `${column} is "${ours[column]}" here and "${theirs[column]}" there: the later change, "${compared.merged[column]}", is kept`,
    );
  }
}
