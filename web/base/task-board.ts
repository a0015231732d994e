import type { State } from './state.ts';
import type { Task } from './use-tasks.ts';

export type TaskStatus = Task['status'];
/** A blocked task waits for other tasks, which ends by itself, or for a person. */
export type ColumnId = TaskStatus | 'waiting';

interface Column {
  readonly id: ColumnId;
  readonly label: string;
  readonly state: State;
}

/** The columns of the board, from left to right. */
export const COLUMNS: readonly Column[] = [
  { id: 'waiting', label: 'Waiting', state: 'queued' },
  { id: 'pending', label: 'To do', state: 'queued' },
  { id: 'in_progress', label: 'In progress', state: 'running' },
  { id: 'blocked', label: 'Blocked', state: 'waits' },
  { id: 'completed', label: 'Done', state: 'done' },
];

/** The columns that a task can be moved to. */
export const TARGETS = COLUMNS.flatMap(({ id, label }) => (id === 'waiting' ? [] : [{ status: id, label }]));

/** The reason that the store sets while a task waits for others. */
const WAITING_REASON = 'dependency';

export function columnOf({ status, blocked_reason }: Task): Column {
  const id = status === 'blocked' && blocked_reason === WAITING_REASON ? 'waiting' : status;
  return COLUMNS.find((column) => column.id === id) ?? { id, label: status, state: 'queued' };
}

export interface TaskFilter {
  /** Words that must all occur. */
  readonly text: string;
  readonly project: string | undefined;
}

export type TaskGroups = ReadonlyMap<ColumnId, readonly Task[]>;

export function filterTasks(tasks: readonly Task[], { text, project }: TaskFilter): readonly Task[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return tasks.filter(
    (task) => (project === undefined || task.project_id === project) && hasWords(task, words),
  );
}

/** The tasks of each column in their order: by priority, then by age; done tasks by the time they were done, newest first. */
export function groupTasks(tasks: readonly Task[]): TaskGroups {
  const groups = Map.groupBy(tasks, (task) => columnOf(task).id);
  return new Map(
    COLUMNS.map(({ id }) => [
      id,
      (groups.get(id) ?? []).toSorted(id === 'completed' ? byChange : byPriority),
    ]),
  );
}

function hasWords(task: Task, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [
    task.id,
    task.title,
    task.description,
    task.project_id,
    task.claim?.agent,
    task.blocked_reason,
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function byPriority(a: Task, b: Task): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return compareText(a.created_at, b.created_at) || compareText(a.id, b.id);
}

function byChange(a: Task, b: Task): number {
  return compareText(b.updated_at, a.updated_at) || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The dependencies of a task that are not done. */
export function openDependencies(task: Task, byId: ReadonlyMap<string, Task>): readonly string[] {
  return (task.depends_on ?? []).filter((id) => byId.get(id)?.status !== 'completed' && byId.has(id));
}

/** For the graph: both ends of each dependency of an open task, if at least one of them was found. */
export function linkedTasks(tasks: readonly Task[], found: readonly Task[]): readonly Task[] {
  const ids = new Set(found.map(({ id }) => id));
  const open = tasks.filter(({ status }) => status !== 'completed');
  const linked = new Set(
    open.flatMap(({ id, depends_on = [] }) =>
      depends_on.flatMap((other) => (ids.has(id) || ids.has(other) ? [id, other] : [])),
    ),
  );
  return tasks.filter(({ id }) => linked.has(id));
}
