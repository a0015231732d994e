import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { excerpt } from '../../base/text.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { describeLine } from '../executors/describe-line.ts';
import { readLogTail } from '../run/read-log-tail.ts';
import { readSteps, RUN_STEP, type RunStep } from '../run/run-state.ts';
import type { LogLine } from '../run/run-log.ts';

/** An item that a worker runs, as it tells others. */
export interface RunningItem {
  readonly jobId: string;
  readonly itemId: string;
  readonly attempt: number;
  readonly since: string;
  /** The run on the host of the worker; missing until it has started. */
  readonly runId?: string | undefined;
  /** What the run has done and does now; workers of earlier versions do not tell it. */
  readonly steps?: readonly RunStep[] | undefined;
  /** The last lines of its log, for people. */
  readonly lines: readonly LogLine[];
}

const MAX_LINES = 5;
const MAX_CHARACTERS = 200;
/** Some events of agents are not shown. */
const READ = { lines: 20, characters: 64 * 1024 };

export const LOG_LINE = v.object({
  at: v.string(),
  stream: v.picklist(['stdout', 'stderr', 'deed']),
  text: v.string(),
});

const SCHEMA = v.object({
  jobId: v.string(),
  itemId: v.string(),
  attempt: int(),
  since: v.string(),
  runId: v.optional(v.string()),
  steps: v.optional(v.array(RUN_STEP)),
  lines: v.pipe(v.array(LOG_LINE), v.maxLength(MAX_LINES)),
});

interface BegunItem extends Omit<RunningItem, 'lines' | 'steps'> {
  readonly note?: LogLine | undefined;
  /** The kind of its agent, whose events are described. */
  readonly agentKind: AgentConfig['kind'] | undefined;
}

/** What this process runs. */
export interface ItemActivity {
  readonly begin: (item: BegunItem) => void;
  readonly runStarted: (jobId: string, itemId: string, runId: string) => void;
  /** Shows a line for an item besides those of its log, until another one replaces it. */
  readonly note: (jobId: string, itemId: string, line: LogLine) => void;
  readonly end: (jobId: string, itemId: string) => void;
  /** Reads the logs, so that the answer has their last lines. */
  readonly list: () => readonly RunningItem[];
}

export function createItemActivity(home: string): ItemActivity {
  const running = new Map<string, BegunItem>();
  const keyOf = (jobId: string, itemId: string): string => `${jobId}/${itemId}`;
  return {
    begin: (item) => void running.set(keyOf(item.jobId, item.itemId), item),
    runStarted: (jobId, itemId, runId) => {
      const known = running.get(keyOf(jobId, itemId));
      if (known !== undefined) running.set(keyOf(jobId, itemId), { ...known, runId });
    },
    note: (jobId, itemId, note) => {
      const known = running.get(keyOf(jobId, itemId));
      if (known !== undefined) running.set(keyOf(jobId, itemId), { ...known, note });
    },
    end: (jobId, itemId) => void running.delete(keyOf(jobId, itemId)),
    list: () =>
      [...running.values()].map(({ agentKind, note, ...item }) => ({
        ...item,
        ...(item.runId !== undefined && { steps: readSteps(home, item.runId) }),
        lines: [
          ...(item.runId === undefined ? [] : lastLines(home, item.runId, agentKind)),
          ...(note === undefined ? [] : [{ ...note, text: excerpt(note.text, MAX_CHARACTERS) }]),
        ].slice(-MAX_LINES),
      })),
  };
}

function lastLines(home: string, runId: string, kind: AgentConfig['kind'] | undefined): readonly LogLine[] {
  return readLogTail(home, runId, READ)
    .lines.flatMap((line) => {
      const text = line.stream === 'stdout' ? describeLine(kind, line.text) : line.text;
      return text === undefined ? [] : [{ ...line, text: excerpt(text, MAX_CHARACTERS) }];
    })
    .slice(-MAX_LINES);
}

/** Checks what a worker tells about an item; another version of the program may tell something else. */
export function parseRunningItems(items: unknown): readonly RunningItem[] {
  return (Array.isArray(items) ? items : []).flatMap((item) => {
    const parsed = v.safeParse(SCHEMA, item);
    return parsed.success ? [parsed.output] : [];
  });
}
