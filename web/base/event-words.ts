import { formatReason } from './format.ts';
import { COLUMNS } from './task-board.ts';
import type { JournalEvent } from './use-events.ts';

/** The titles of tasks by their ids. */
export type Titles = ReadonlyMap<string, string>;

/** The titles of the tasks that were created in these events: others are named by their ids. */
export function titlesOf(events: readonly JournalEvent[]): Titles {
  return new Map(
    events.flatMap(({ kind, task_id: id, message }) =>
      kind === 'task_created' && id !== null ? [[id, message] as const] : [],
    ),
  );
}

/** An event in words, for a list that needs no ids. The events of the task `own` do not name it. */
export function eventInWords(event: JournalEvent, titles: Titles, own?: string): string {
  const about = (id: string): string => (id === own ? '' : `: ${titles.get(id) ?? id}`);
  const known = WORDS.get(event.kind)?.(event, about);
  if (known !== undefined) return known;
  return event.message.replace(TASK_ID, (id) => titles.get(id) ?? id);
}

const TASK_ID = /task_[0-9a-z]{13}/gu;
/** The id of a run and its agent, which the message of a run has after its item. */
const RUN_ID = / \(run_\w+(?:, [^)]*)?\)(?=: )/u;

type InWords = (event: JournalEvent, about: (id: string) => string) => string | undefined;

const WORDS: ReadonlyMap<string, InWords> = new Map<string, InWords>([
  ['task_created', ({ task_id: id, message }, about) => `Created${about(id ?? '') && `: ${message}`}`],
  ['agent_focus', ({ task_id: id }, about) => (id === null ? undefined : `Works on it${about(id)}`)],
  [
    'task_status',
    ({ task_id: id, metadata: { from, to, blocked_reason: reason } }, about) => {
      if (id === null || typeof from !== 'string' || typeof to !== 'string') return undefined;
      const why = typeof reason === 'string' && reason !== 'dependency' ? ` (${formatReason(reason)})` : '';
      return `${labelOf(from)} → ${reason === 'dependency' ? 'Waiting' : labelOf(to)}${why}${about(id)}`;
    },
  ],
  [
    'memory_set',
    ({ metadata: { scope, scope_id: scopeId, key } }, about) => {
      if (typeof key !== 'string') return undefined;
      if (scope === 'task' && typeof scopeId === 'string') return `Remembered ${key}${about(scopeId)}`;
      return typeof scopeId === 'string' && scopeId !== ''
        ? `Remembered ${key}: ${scopeId}`
        : `Remembered ${key}`;
    },
  ],
  ['run_started', ({ message }) => message.replace(RUN_ID, '')],
  ['run_waiting', ({ message }) => message.replace(RUN_ID, '')],
  ['run_ended', ({ message }) => message.replace(RUN_ID, '')],
]);

function labelOf(status: string): string {
  return COLUMNS.find(({ id }) => id === status)?.label ?? status;
}

/** Such as `task created`. */
export function kindInWords(kind: string): string {
  return kind.replaceAll('_', ' ');
}
