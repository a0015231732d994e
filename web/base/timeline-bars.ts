import { levelsOf } from './layout-graph.ts';
import { shownState } from './state.ts';

export interface TimelineItem {
  readonly id: string;
  readonly status: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Zero until the result of the run is stored. */
  readonly agentMs: number;
  readonly testsMs: number | null;
  /** When a person decided about it; null without a decision. */
  readonly decidedAt: string | null;
  /** Until when its changes had to wait for other items, if that is known. */
  readonly turnMs?: number | undefined;
  /** What a run that is worked on has done since it started, or since its promotion began; the last one is being done. */
  readonly steps: readonly { readonly step: string; readonly started_at: string }[];
}

export interface Bar {
  readonly kind: 'queue' | 'setup' | 'agent' | 'checks' | 'tests' | 'promotion' | 'wait' | 'error';
  /** Since the start of the job. */
  readonly atMs: number;
  readonly forMs: number;
}

/** The phases of a run. Of a stored result only their lengths are recorded: the agent starts first, then the tests, then the promotion. */
export function timelineBars(item: TimelineItem, jobMs: number, nowMs: number): readonly Bar[] {
  const { startedAt, endedAt, agentMs, testsMs, status } = item;
  if (startedAt === null) return [];
  const start = Math.max(0, Date.parse(startedAt) - jobMs);
  const queue: Bar = { kind: 'queue', atMs: 0, forMs: start };
  const end = Math.max(start, (endedAt === null ? nowMs : Date.parse(endedAt)) - jobMs);
  const steps = stepBars(item, jobMs, end);
  const isStored = agentMs > 0 || testsMs !== null;
  if (steps.length > 0 && !isStored) return [queue, ...steps];
  if (status === 'running' && !isStored) return [queue, { kind: 'agent', atMs: start, forMs: end - start }];
  const testsAt = start + agentMs;
  const restAt = testsAt + (testsMs ?? 0);
  const stored: readonly Bar[] = [
    queue,
    { kind: 'agent', atMs: start, forMs: agentMs },
    ...(testsMs === null ? [] : [{ kind: 'tests', atMs: testsAt, forMs: testsMs } as const]),
  ];
  const [first] = steps;
  const kind = restOf(status);
  const isPaused = kind === 'promotion' || item.decidedAt !== null;
  const pauseEnd = first?.atMs ?? (isPaused ? Math.min(end, pauseEndOf(item, jobMs)) : restAt);
  const pause: Bar = { kind: pauseKindOf(item), atMs: restAt, forMs: Math.max(0, pauseEnd - restAt) };
  const withPause = pause.forMs === 0 ? stored : [...stored, pause];
  if (first !== undefined) return [...withPause, ...steps];
  const last = Math.max(restAt, pauseEnd);
  return [...withPause, { kind, atMs: last, forMs: Math.max(0, end - last) }];
}

/** When the promotion of an item could begin: after the decision of a person, or when it was its turn. */
function pauseEndOf({ decidedAt, turnMs }: TimelineItem, jobMs: number): number {
  return (decidedAt === null ? (turnMs ?? 0) : Date.parse(decidedAt)) - jobMs;
}

/** What a finished item waits for before its promotion: a person, or the other items that it is promoted with. */
function pauseKindOf({ decidedAt, status }: TimelineItem): Bar['kind'] {
  return decidedAt !== null || status === 'waiting' ? 'wait' : 'queue';
}

/**
 * The items with when each could be promoted: together with all items that have as many dependencies in a row, when the last one of
 * them has ended its tests.
 */
export function withTurns<T extends Omit<TimelineItem, 'turnMs'>>(
  items: readonly (T & { readonly dependencies: readonly string[] })[],
): readonly (T & { readonly turnMs: number })[] {
  const levels = levelsOf(items);
  const turns = new Map<number | undefined, number>();
  for (const item of items) {
    const level = levels.get(item.id);
    turns.set(level, Math.max(turns.get(level) ?? 0, testedMs(item)));
  }
  return items.map((item) => ({ ...item, turnMs: turns.get(levels.get(item.id)) ?? 0 }));
}

/** When an item had ended its tests. */
function testedMs({ startedAt, agentMs, testsMs }: Omit<TimelineItem, 'turnMs'>): number {
  return startedAt === null ? 0 : Date.parse(startedAt) + agentMs + (testsMs ?? 0);
}

/** How much of the axis is left for what waits after everything else has ended. */
const WAIT_SHARE = 0.25;

/**
 * The end of the axis. While nothing but a person is awaited, which may take days, it does not move on: otherwise the phases would become
 * too short to be seen.
 */
export function axisEndMs(items: readonly TimelineItem[], jobMs: number, nowMs: number): number {
  const totalMs = nowMs - jobMs;
  if (items.some(({ status, steps }) => status === 'running' || steps.length > 0)) return totalMs;
  const bars = items.flatMap((item) => timelineBars(item, jobMs, nowMs));
  const last = Math.max(
    0,
    ...bars.filter(({ kind }) => kind !== 'wait').map(({ atMs, forMs }) => atMs + forMs),
  );
  return last === 0 ? totalMs : Math.min(totalMs, last / (1 - WAIT_SHARE));
}

/** The clock of another host may be ahead: a step does not begin after the end. */
function stepBars({ steps }: TimelineItem, jobMs: number, end: number): readonly Bar[] {
  const begins = steps.map(({ started_at }) => Math.min(end, Math.max(0, Date.parse(started_at) - jobMs)));
  return steps.map(({ step }, index) => {
    const atMs = begins[index] ?? end;
    return { kind: kindOf(step), atMs, forMs: Math.max(0, (begins[index + 1] ?? end) - atMs) };
  });
}

function kindOf(step: string): Bar['kind'] {
  return (
    (['setup', 'agent', 'checks', 'tests', 'promotion'] as const).find((kind) => kind === step) ?? 'agent'
  );
}

function restOf(status: string): Bar['kind'] {
  // It is being promoted, by a process that does not tell its steps.
  if (status === 'running') return 'promotion';
  const { state } = shownState(status);
  if (state === 'done' || state === 'rolled-back') return 'promotion';
  if (state === 'queued') return 'queue';
  return state === 'waits' ? 'wait' : 'error';
}
