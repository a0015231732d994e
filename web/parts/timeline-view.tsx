import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { axisTicks } from '../base/axis-ticks.ts';
import { now } from '../base/clock.ts';
import { useCurrentInView } from '../base/use-current-in-view.ts';
import { shownStep } from '../base/state.ts';
import { axisEndMs, timelineBars, type TimelineItem } from '../base/timeline-bars.ts';
import { Glyph } from './glyph.tsx';
import { Elapsed } from './time.tsx';

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
  const totalMs = Math.max(
    1000,
    to === null ? axisEndMs(items, startMs, now.value) : Date.parse(to) - startMs,
  );
  const scale = 100 / totalMs;
  return (
    <div class="timeline" ref={box} tabIndex={0} role="region" aria-label="Timeline of the items">
      <div class="timeline-axis" aria-hidden="true">
        <span>item</span>
        <span class="ticks">
          {axisTicks(totalMs)
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
              <Glyph state={shownOf(item).state} />
              <span class="timeline-name">{item.id}</span>
              <span class="hidden">{shownOf(item).label}</span>
              <span class="bars">
                {timelineBars(item, startMs, now.value).map(({ kind, atMs, forMs }, index) => (
                  <span
                    key={index}
                    class={`phase ${kind}`}
                    style={{ left: `${atMs * scale}%`, width: `${Math.min(forMs, totalMs - atMs) * scale}%` }}
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

function shownOf({ status, steps }: TimelineItem): ReturnType<typeof shownStep> {
  return shownStep(status, steps.at(-1)?.step);
}

function endOf({ status, endedAt, startedAt, agentMs, testsMs, steps }: TimelineItem): string | null {
  const isRunning = status === 'running' || steps.length > 0;
  if (endedAt !== null || isRunning || startedAt === null) return endedAt;
  // A run that waits is finished; the time until the decision does not count.
  return new Date(Date.parse(startedAt) + agentMs + (testsMs ?? 0)).toISOString();
}
