import type { QueryRunner } from '../database/database.ts';
import { countRows } from '../database/query.ts';
import { countTasks, listAbandoned, listTasks, type TaskPage } from '../database/queries/tasks.ts';
import type { TaskRow, TaskStatus } from './task.ts';

export interface TaskQuery {
  readonly status?: string | undefined;
  /** Null: tasks without a project. */
  readonly projectId?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly after?: TaskPosition | undefined;
  readonly limit: number;
}

/** A position in the order of tasks. */
export interface TaskPosition {
  readonly priority: number;
  readonly created_at: string;
  readonly id: string;
}

/** Reads tasks in order. */
export function readTasks(db: QueryRunner, query: TaskQuery): Promise<TaskRow[]> {
  return db.all(
    listTasks(
      query.status !== undefined && 'status',
      projectFilter(query),
      query.priority !== undefined && 'priority',
      query.after !== undefined && 'after',
    ),
    valuesOf(query),
  );
}

/** Counts the tasks of all pages of a query. */
export async function countMatching(db: QueryRunner, query: TaskQuery): Promise<number> {
  const rows = listTasks(
    query.status !== undefined && 'status',
    projectFilter(query),
    query.priority !== undefined && 'priority',
  );
  return (await db.first(countRows(rows), valuesOf(query)))?.total ?? 0;
}

/** Counts the tasks that can be started now, with the status of the query. */
export async function countReady(db: QueryRunner, query: TaskQuery, at: string): Promise<number> {
  const abandoned = query.status === 'pending' ? [] : await readAbandoned(db, query, at);
  const rows = listTasks('ready', projectFilter(query), query.priority !== undefined && 'priority');
  const isQueue = query.status === undefined || query.status === 'pending';
  const queued = isQueue ? await db.first(countRows(rows), { ...valuesOf(query), at }) : undefined;
  const matching = abandoned.filter(({ status }) => query.status === undefined || status === query.status);
  return matching.length + (queued?.total ?? 0);
}

/** The maximum number of abandoned tasks that are considered. */
const MAX_ABANDONED = 200;

/** Reads the tasks that can be started now, abandoned ones and those in the queue, in the order of tasks. */
export async function readReady(db: QueryRunner, query: TaskQuery, at: string): Promise<TaskRow[]> {
  const abandoned = await readAbandoned(db, query, at);
  const queued = await readQueued(db, query, at);
  const before = query.after;
  const rest = before === undefined ? abandoned : abandoned.filter((row) => compareTasks(row, before) > 0);
  return [...rest, ...queued].sort(compareTasks).slice(0, query.limit);
}

/** Reads the task to start next: an abandoned one, because its work is half done, otherwise the first of the queue. */
export async function readNextTask(
  db: QueryRunner,
  projectId: string | null | undefined,
  at: string,
): Promise<TaskRow | undefined> {
  const query = { projectId, limit: 1 };
  return (await readAbandoned(db, query, at))[0] ?? (await readQueued(db, query, at))[0];
}

async function readAbandoned(db: QueryRunner, query: TaskQuery, at: string): Promise<TaskRow[]> {
  const rows = await db.all(listAbandoned(projectFilter(query)), {
    at,
    project_id: query.projectId ?? '',
    limit: MAX_ABANDONED,
  });
  return rows
    .filter(({ priority }) => query.priority === undefined || priority === query.priority)
    .sort(compareTasks);
}

function readQueued(db: QueryRunner, query: TaskQuery, at: string): Promise<TaskRow[]> {
  return db.all(
    listTasks(
      'ready',
      projectFilter(query),
      query.priority !== undefined && 'priority',
      query.after !== undefined && 'after',
    ),
    { ...valuesOf(query), at },
  );
}

function projectFilter({ projectId }: TaskQuery): 'project' | 'unassigned' | undefined {
  return projectId === undefined ? undefined : projectId === null ? 'unassigned' : 'project';
}

/** The total order of tasks: higher priority first, then older, then by id. */
export function compareTasks(left: TaskPosition, right: TaskPosition): number {
  if (left.priority !== right.priority) return right.priority - left.priority;
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? -1 : 1;
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}

/** Reads the number of tasks in each status. */
export async function readTaskCounts(
  db: QueryRunner,
  projectId?: string,
): Promise<Record<TaskStatus, number>> {
  const rows = await db.all(countTasks(projectId !== undefined && 'project'), {
    project_id: projectId ?? '',
  });
  const totals = new Map(rows.map(({ status, total }) => [status, total]));
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
    at: '',
  };
}
