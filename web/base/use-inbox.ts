import { baseName, formatCost, formatReason, plural } from './format.ts';
import { columnOf } from './task-board.ts';
import type { FleetJob } from './use-fleet.ts';
import { usePages, type ItemOf } from './use-pages.ts';
import { useRead } from './use-read.ts';
import type { RunRow } from './use-runs.ts';
import type { Task } from './use-tasks.ts';

/** Something that waits for a person: a run, a tool call of an agent, or a task that no agent can continue. */
export interface InboxItem {
  readonly kind: 'run' | 'session' | 'task';
  readonly id: string;
  readonly title: string;
  readonly line: string;
  readonly at: string;
  /** Only of a task. */
  readonly task?: Task;
}

const MAX_SESSIONS = 100;
const MAX_TASKS = 500;

/** Everything that waits for a person: runs, agents and tasks, each the oldest first; undefined until the runs are known. */
export function useInbox(
  runs: readonly RunRow[] | undefined,
  fleetJobs: readonly FleetJob[] = [],
): readonly InboxItem[] | undefined {
  const { data: sessions } = useRead(
    'agent sessions list',
    { status: 'waiting', limit: MAX_SESSIONS },
    (changes) => changes.sessions.length > 0,
  );
  const { items: tasks } = usePages(
    'task list',
    { status: 'blocked', limit: MAX_TASKS },
    { keyOf: ({ id }) => id, isAffected: (changes) => changes.tasks.length > 0, isReplaced: true },
  );
  if (runs === undefined) return undefined;
  const waiting = runs.filter(({ status }) => status === 'waiting');
  const blocked = (tasks ?? []).filter((task) => columnOf(task).id === 'blocked');
  return [
    ...oldestFirst([...waiting.map(itemOfRun), ...fleetJobs.flatMap(itemsOfFleetJob)]),
    ...oldestFirst((sessions?.items ?? []).map(itemOfSession)),
    ...oldestFirst(blocked.map(itemOfTask)),
  ];
}

function oldestFirst(items: readonly InboxItem[]): readonly InboxItem[] {
  return items.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

export function inboxHref({ kind, id }: InboxItem): string {
  return `/inbox?${kind}=${id}`;
}

function itemOfRun({ run_id, item_id, root, agent_id, files, at }: RunRow): InboxItem {
  const line = `${baseName(root)} · ${agent_id} · ${plural(files, 'file')}`;
  return { kind: 'run', id: run_id, title: item_id, line, at };
}

function itemsOfFleetJob({ repository, waiting }: FleetJob): readonly InboxItem[] {
  return waiting.map(({ item_id, run_id, host, since }) => ({
    kind: 'run',
    id: run_id,
    title: item_id,
    line: `${baseName(repository)} · ran on ${host}`,
    at: since,
  }));
}

function itemOfSession({
  id,
  task,
  agent,
  turns,
  cost_usd,
  updated_at,
}: ItemOf<'agent sessions list'>): InboxItem {
  const line = `asks to use a tool · ${agent ?? 'agent'} · ${plural(turns, 'turn')} · ${formatCost(cost_usd)}`;
  return { kind: 'session', id, title: task ?? id, line, at: updated_at };
}

function itemOfTask(task: Task): InboxItem {
  const line = `blocked task · ${formatReason(task.blocked_reason)}`;
  return { kind: 'task', id: task.id, title: task.title, line, at: task.updated_at, task };
}
