import type { Session } from '../database/database.ts';
import { findTask } from '../database/queries/tasks.ts';
import type { EventRow } from '../events/event.ts';
import { WAITS } from '../tasks/change-task.ts';
import { readReady } from '../tasks/read-tasks.ts';
import { heldByAnother, type TaskRow } from '../tasks/task.ts';

export type FocusRule = 'in_progress' | 'waiting' | 'assigned' | 'pending' | 'queue' | 'none' | 'asked';

export interface FocusChoice {
  readonly task: TaskRow | undefined;
  readonly rule: FocusRule;
}

export interface FocusQuestion {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly current: string | null;
  readonly deltas: readonly EventRow[];
  readonly at: string;
}

/**
 * Chooses what an agent works on; the same state always gives the same answer. In this order: what it is at; what it is at and
 * that waits for other tasks; what was assigned to it meanwhile; what it was about to begin; the first of what is ready; nothing.
 * A task that another agent holds is never chosen.
 */
export async function chooseFocus(session: Session, question: FocusQuestion): Promise<FocusChoice> {
  const { agent, at, projectId } = question;
  const current =
    question.current === null ? undefined : await session.first(findTask, { id: question.current });
  const kept =
    current && !heldByAnother(current, agent, at) && fits(current, projectId) ? current : undefined;
  if (kept?.status === 'in_progress') return { task: kept, rule: 'in_progress' };
  if (kept?.status === 'blocked' && kept.blocked_reason === WAITS) return { task: kept, rule: 'waiting' };
  for (const delta of question.deltas) {
    if (delta.kind !== 'task_assigned' || delta.task_id === null) continue;
    if (assignee(delta) !== undefined && assignee(delta) !== agent) continue;
    const assigned = await session.first(findTask, { id: delta.task_id });
    if (assigned?.status === 'pending' && assigned.open_dependencies === 0 && fits(assigned, projectId))
      return { task: assigned, rule: 'assigned' };
  }
  if (kept?.status === 'pending') return { task: kept, rule: 'pending' };
  const first = await firstReady(session, projectId, at);
  return first === undefined ? { task: undefined, rule: 'none' } : { task: first, rule: 'queue' };
}

/** A project's own tasks come first; those of no project are anybody's. */
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

function fits(task: TaskRow, projectId: string | undefined): boolean {
  return projectId === undefined || task.project_id === null || task.project_id === projectId;
}

/** Whom an assignment names; one that names nobody is for whoever reads it. */
function assignee(delta: EventRow): string | undefined {
  const metadata = JSON.parse(delta.metadata) as { agent?: unknown; assignee?: unknown };
  const named = metadata.agent ?? metadata.assignee;
  return typeof named === 'string' ? named : undefined;
}
