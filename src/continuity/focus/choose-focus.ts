import type { QueryRunner } from '../database/database.ts';
import { findTask } from '../database/queries/tasks.ts';
import type { EventRow } from '../events/event.ts';
import { WAITING_FOR_DEPENDENCY } from '../tasks/change-task.ts';
import { isClaimActive, isClaimedByOther, type Holder } from '../tasks/holder.ts';
import { readNextTask } from '../tasks/read-tasks.ts';
import type { TaskRow } from '../tasks/task.ts';

export type FocusRule = 'in_progress' | 'waiting' | 'assigned' | 'pending' | 'queue' | 'none' | 'asked';

export interface FocusChoice {
  readonly task: TaskRow | undefined;
  readonly rule: FocusRule;
}

export interface FocusRequest extends Holder {
  readonly projectId: string | undefined;
  readonly current: string | null;
  readonly deltas: readonly EventRow[];
  readonly at: string;
  /** Only tasks that can be claimed now. Excludes tasks that wait for another task or a retry, and tasks with an active claim, even of this agent. */
  readonly toClaim?: boolean | undefined;
}

/**
 * Chooses the task that an agent works on; deterministic. In this order: its task in progress; its task that is blocked by other
 * tasks; a task assigned to it since its last resume; its pending task; the next ready task; none. A task that another holder has
 * claimed is never chosen.
 */
export async function chooseFocus(db: QueryRunner, request: FocusRequest): Promise<FocusChoice> {
  const { agent, at, projectId } = request;
  const current = await currentOf(db, request);
  if (current?.status === 'in_progress') return { task: current, rule: 'in_progress' };
  if (current?.status === 'blocked' && current.blocked_reason === WAITING_FOR_DEPENDENCY)
    return { task: current, rule: 'waiting' };
  for (const delta of request.deltas) {
    if (delta.kind !== 'task_assigned' || delta.task_id === null) continue;
    if (assignee(delta) !== undefined && assignee(delta) !== agent) continue;
    const assigned = await db.first(findTask, { id: delta.task_id });
    if (
      assigned?.status === 'pending' &&
      assigned.open_dependencies === 0 &&
      !(request.toClaim && isWaiting(assigned, at)) &&
      isInProject(assigned, projectId)
    )
      return { task: assigned, rule: 'assigned' };
  }
  if (current?.status === 'pending') return { task: current, rule: 'pending' };
  const first = await firstReady(db, projectId, at);
  return first === undefined ? { task: undefined, rule: 'none' } : { task: first, rule: 'queue' };
}

/** The task in focus, if it can still be chosen. */
async function currentOf(
  db: QueryRunner,
  { current, at, projectId, toClaim, ...holder }: FocusRequest,
): Promise<TaskRow | undefined> {
  const task = current === null ? undefined : await db.first(findTask, { id: current });
  if (task === undefined || !isInProject(task, projectId)) return undefined;
  const isFree = toClaim ? !isWaiting(task, at) : !isClaimedByOther(task, holder, at);
  return isFree ? task : undefined;
}

function isWaiting(task: TaskRow, at: string): boolean {
  return isClaimActive(task, at) || task.open_dependencies > 0 || (task.retry_at ?? '') > at;
}

/** Tasks of the project come first, then tasks without a project. */
async function firstReady(
  db: QueryRunner,
  projectId: string | undefined,
  at: string,
): Promise<TaskRow | undefined> {
  const own = await readNextTask(db, projectId, at);
  return own !== undefined || projectId === undefined ? own : readNextTask(db, null, at);
}

function isInProject(task: TaskRow, projectId: string | undefined): boolean {
  return projectId === undefined || task.project_id === null || task.project_id === projectId;
}

/** The agent that an assignment names; undefined if it is for any agent. */
function assignee(delta: EventRow): string | undefined {
  const metadata = JSON.parse(delta.metadata) as { agent?: unknown; assignee?: unknown };
  const named = metadata.agent ?? metadata.assignee;
  return typeof named === 'string' ? named : undefined;
}
