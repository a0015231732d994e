import { printable } from '../../base/text.ts';
import { durationInWords } from '../../base/ago-in-words.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import { createRunLogReader, type RunLogReader } from '../../work/run/read-run-log.ts';
import type { WorkEvent } from '../../work/run/work-event.ts';

/** Shows one changing line per item while a job runs. */
export interface ItemFollower {
  /** Returns whether the event is visible in a line: never if standard error is not a terminal. */
  readonly onEvent: (event: WorkEvent) => boolean;
  readonly stop: () => void;
}

interface Followed {
  readonly startedMs: number;
  readonly log: RunLogReader | undefined;
  status: string;
  toolCalls: number;
  note: string;
  endedMs?: number;
}

const POLL_MS = 500;
const STATUS: Partial<Record<WorkEvent['type'], string>> = {
  'run.started': 'running',
  'run.retried': 'running',
  'setup.started': 'setting up',
  'setup.ended': 'running',
  'tests.started': 'testing',
  'tests.ended': 'tested',
  'run.waiting': 'waiting',
};

/** Follows the items of a plan; the latest lines of agents come from the logs of their runs. */
export function followItems(items: readonly WorkItem[], context: CommandContext): ItemFollower {
  const followed = new Map<string, Followed>();
  const limits = new Map(items.map(({ id, constraints }) => [id, constraints]));
  let isWatched = true;
  const show = (id: string, item: Followed): boolean => {
    if (!isWatched) return false;
    const last = item.endedMs === undefined ? item.log?.read().at(-1)?.text : undefined;
    if (last !== undefined) item.note = printable(last).replaceAll('\n', ' ');
    const limit = limits.get(id);
    const calls = limit === undefined ? '' : `${item.toolCalls}/${limit.max_tool_ops} calls`;
    const time = limit === undefined ? '' : `of ${durationInWords(limit.timeout_ms)}`;
    const budget = item.endedMs === undefined ? `${time}, ${calls}` : calls;
    const { startedMs, endedMs, status, note } = item;
    isWatched = context.follow({ id, status, startedMs, endedMs, budget, note });
    return isWatched;
  };
  const timer = setInterval(() => {
    for (const [id, item] of followed) if (item.endedMs === undefined) show(id, item);
  }, POLL_MS);
  timer.unref();
  return {
    onEvent: (event) => {
      const { item_id: id, run_id: run, type } = event;
      // What concerns the whole job is visible in the lines of its items.
      if (id === undefined) return isWatched && followed.size > 0;
      const item = followed.get(id) ?? {
        startedMs: Date.parse(event.at),
        log: run === undefined ? undefined : createRunLogReader(context.home.path, run),
        status: 'running',
        toolCalls: 0,
        note: '',
      };
      followed.set(id, item);
      if (type === 'tool.called') item.toolCalls += 1;
      item.status = type === 'run.ended' ? (event.status ?? 'ended') : (STATUS[type] ?? item.status);
      if (type === 'run.ended' || type === 'run.waiting') {
        item.endedMs = Date.parse(event.at);
        item.note = printable(event.message ?? '');
      } else delete item.endedMs;
      return show(id, item);
    },
    stop: () => clearInterval(timer),
  };
}
