import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { axisTicks } from '../base/axis-ticks.ts';
import { now } from '../base/clock.ts';
import { useCurrentInView } from '../base/use-current-in-view.ts';
import { shownState } from '../base/state.ts';
import { Glyph } from './glyph.tsx';
import { Elapsed } from './time.tsx';

export interface TimelineItem {
  readonly id: string;
  readonly status: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly agentMs: number;
  readonly testsMs: number | null;
}

interface TimelineProps {
  readonly items: readonly TimelineItem[];
  readonly from: string;
  readonly to: string | null;
  readonly selected: string | undefined;
  readonly hrefOf: (id: string) => string;
}

/** The label of a later tick would be cut off. */
const MAX_TICK_PERCENT = 92;

/** One row per item: when it was queued, and how long its agent, its tests and its promotion took. */
export function TimelineView({ items, from, to, selected, hrefOf }: TimelineProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useCurrentInView(box, selected);
  const startMs = Date.parse(from);
  const endMs = Math.max(startMs + 1000, to === null ? now.value : Date.parse(to));
  const scale = 100 / (endMs - startMs);
  return (
    <div class="timeline" ref={box} tabIndex={0} role="region" aria-label="Timeline of the items">
      <div class="timeline-axis" aria-hidden="true">
        <span>item</span>
        <span class="ticks">
          {axisTicks(endMs - startMs)
            .filter(({ atMs }) => atMs * scale <= MAX_TICK_PERCENT)
            .map(({ atMs, label }) => (
              <span key={atMs} style={{ left: `${atMs * scale}%` }}>
                {label}
              </span>
            ))}
        </span>
      </div>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <a
              href={hrefOf(item.id)}
              class={item.id === selected ? 'timeline-row selected' : 'timeline-row'}
              aria-current={item.id === selected ? 'true' : undefined}
            >
              <Glyph state={shownState(item.status).state} />
              <span class="timeline-name">{item.id}</span>
              <span class="hidden">{shownState(item.status).label}</span>
              <span class="bars">
                {barsOf(item, startMs).map(({ kind, atMs, forMs }) => (
                  <span
                    key={kind}
                    class={`phase ${kind}`}
                    style={{ left: `${atMs * scale}%`, width: `${forMs * scale}%` }}
                  />
                ))}
              </span>
              <span class="timeline-time">
                {item.startedAt === null ? '–' : <Elapsed from={item.startedAt} to={endOf(item)} />}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Bar {
  readonly kind: 'queue' | 'agent' | 'tests' | 'promotion' | 'wait' | 'error';
  /** Since the start of the job. */
  readonly atMs: number;
  readonly forMs: number;
}

/** The phases of a run. Only their lengths are recorded: the agent starts first, then the tests, then the promotion. */
function barsOf({ status, startedAt, endedAt, agentMs, testsMs }: TimelineItem, jobMs: number): Bar[] {
  if (startedAt === null) return [];
  const start = Math.max(0, Date.parse(startedAt) - jobMs);
  const queue: Bar = { kind: 'queue', atMs: 0, forMs: start };
  const end = (endedAt === null ? now.value : Date.parse(endedAt)) - jobMs;
  if (status === 'running') return [queue, { kind: 'agent', atMs: start, forMs: end - start }];
  const testsAt = start + agentMs;
  const restAt = testsAt + (testsMs ?? 0);
  const { state } = shownState(status);
  const rest =
    state === 'done' || state === 'rolled-back'
      ? 'promotion'
      : state === 'waits' || state === 'queued'
        ? 'wait'
        : 'error';
  return [
    queue,
    { kind: 'agent', atMs: start, forMs: agentMs },
    ...(testsMs === null ? [] : [{ kind: 'tests', atMs: testsAt, forMs: testsMs } as const]),
    { kind: rest, atMs: restAt, forMs: Math.max(0, end - restAt) },
  ];
}

function endOf({ status, endedAt, startedAt, agentMs, testsMs }: TimelineItem): string | null {
  if (endedAt !== null || status === 'running' || startedAt === null) return endedAt;
  // A run that waits is finished; the time until the decision does not count.
  return new Date(Date.parse(startedAt) + agentMs + (testsMs ?? 0)).toISOString();
}
