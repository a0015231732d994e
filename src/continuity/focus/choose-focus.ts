import type { Session } from '../database/database.ts';
import { findTask } from '../database/queries/tasks.ts';
import type { EventRow } from '../events/event.ts';
import { WAITING_FOR_DEPENDENCY } from '../tasks/change-task.ts';
import { readReady } from '../tasks/read-tasks.ts';
import { isClaimedByOther, type TaskRow } from '../tasks/task.ts';

export type FocusRule = 'in_progress' | 'waiting' | 'assigned' | 'pending' | 'queue' | 'none' | 'asked';

export interface FocusChoice {
  readonly task: TaskRow | undefined;
  readonly rule: FocusRule;
}

export interface FocusRequest {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly current: string | null;
  readonly deltas: readonly EventRow[];
  readonly at: string;
}

/**
 * Chooses the task that an agent works on; deterministic. In this order: its task in progress; its task that is blocked by other
 * tasks; a task assigned to it since its last resume; its pending task; the first ready task; none. A task that another agent has
 * claimed is never chosen.
 */
export async function chooseFocus(session: Session, request: FocusRequest): Promise<FocusChoice> {
  const { agent, at, projectId } = request;
  const previous =
    request.current === null ? undefined : await session.first(findTask, { id: request.current });
  const current =
    previous && !isClaimedByOther(previous, agent, at) && isInProject(previous, projectId)
      ? previous
      : undefined;
  if (current?.status === 'in_progress') return { task: current, rule: 'in_progress' };
  if (current?.status === 'blocked' && current.blocked_reason === WAITING_FOR_DEPENDENCY)
    return { task: current, rule: 'waiting' };
  for (const delta of request.deltas) {
    if (delta.kind !== 'task_assigned' || delta.task_id === null) continue;
    if (assignee(delta) !== undefined && assignee(delta) !== agent) continue;
    const assigned = await session.first(findTask, { id: delta.task_id });
    if (
      assigned?.status === 'pending' &&
      assigned.open_dependencies === 0 &&
      isInProject(assigned, projectId)
    )
      return { task: assigned, rule: 'assigned' };
  }
  if (current?.status === 'pending') return { task: current, rule: 'pending' };
  const first = await firstReady(session, projectId, at);
  return first === undefined ? { task: undefined, rule: 'none' } : { task: first, rule: 'queue' };
}

/** Tasks of the project come first, then tasks without a project. */
async function firstReady(
  session: Session,
  projectId: string | undefined,
  at: string,
): Promise<TaskRow | undefined> {
  const [own] = await readReady(session, { projectId, limit: 1 }, at);
  if (own !== undefined || projectId === undefined) return own;
  const [unassigned] = await readReady(session, { projectId: null, limit: 1 }, at);
  return unassigned;
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
