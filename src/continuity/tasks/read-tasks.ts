import type { Session } from '../database/database.ts';
import { countTasks, listAbandoned, listTasks, type TaskPage } from '../database/queries/tasks.ts';
import { TASK_STATUSES, type TaskRow } from './task.ts';

export interface TaskQuery {
  readonly status?: string | undefined;
  readonly projectId?: string | undefined;
  readonly priority?: number | undefined;
  readonly after?: TaskPlace | undefined;
  readonly limit: number;
}

/** A place in the order of tasks: priority, age, id. */
export interface TaskPlace {
  readonly priority: number;
  readonly created_at: string;
  readonly id: string;
}

/** Reads tasks in their order. */
export function readTasks(session: Session, query: TaskQuery): Promise<TaskRow[]> {
  return session.all(
    listTasks(
      query.status !== undefined && 'status',
      query.projectId !== undefined && 'project',
      query.priority !== undefined && 'priority',
      query.after !== undefined && 'after',
    ),
    valuesOf(query),
  );
}

/** How many abandoned tasks are looked at; beyond that nobody waits for the oldest. */
const MAX_ABANDONED = 200;

/** Reads the tasks that can be begun now: those whose owner is gone, then the queue. */
export async function readReady(session: Session, query: TaskQuery, at: string): Promise<TaskRow[]> {
  const inProject = query.projectId !== undefined;
  const abandoned = (
    await session.all(listAbandoned(inProject && 'project'), {
      at,
      project_id: query.projectId ?? '',
      limit: MAX_ABANDONED,
    })
  )
    .filter(({ priority }) => query.priority === undefined || priority === query.priority)
    .sort(inOrder);
  const queued = await session.all(
    listTasks(
      'ready',
      inProject && 'project',
      query.priority !== undefined && 'priority',
      query.after !== undefined && 'after',
    ),
    valuesOf(query),
  );
  const before = query.after;
  const rest = before === undefined ? abandoned : abandoned.filter((row) => inOrder(row, before) > 0);
  return [...rest, ...queued].sort(inOrder).slice(0, query.limit);
}

/** The total order of tasks: the higher priority, then the older, then by id. */
export function inOrder(left: TaskPlace, right: TaskPlace): number {
  if (left.priority !== right.priority) return right.priority - left.priority;
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? -1 : 1;
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}

/** How many tasks there are in each status. */
export async function readTaskCounts(
  session: Session,
  projectId?: string,
): Promise<Record<(typeof TASK_STATUSES)[number], number>> {
  const rows = await session.all(countTasks(projectId !== undefined && 'project'), { project_id: projectId ?? '' });
  const totals = new Map(rows.map(({ status, total }) => [status, Number(total)]));
  return {
    pending: totals.get('pending') ?? 0,
    in_progress: totals.get('in_progress') ?? 0,
    completed: totals.get('completed') ?? 0,
    blocked: totals.get('blocked') ?? 0,
  };
}

function valuesOf(query: TaskQuery): Required<TaskPage> {
  return {
    status: query.status ?? '',
    project_id: query.projectId ?? '',
    priority: query.priority ?? 0,
    after_priority: query.after?.priority ?? 0,
    after_created_at: query.after?.created_at ?? '',
    after_id: query.after?.id ?? '',
    limit: query.limit,
  };
}
