import type { JSX } from 'preact';
import { now } from '../base/clock.ts';
import type { Reads } from '../base/commands.ts';
import { formatCost, formatDuration, formatNumber } from '../base/format.ts';
import { Meter } from './meter.tsx';

type Session = Reads['agent sessions show']['output'];

interface Shown {
  readonly label: string;
  readonly show: (value: number) => string;
}

const LIMITS: ReadonlyMap<string, Shown> = new Map(
  Object.entries<Shown>({
    max_turns: { label: 'Turns', show: formatNumber },
    max_total_tokens: { label: 'Tokens', show: formatNumber },
    max_duration_ms: { label: 'Time', show: formatDuration },
    max_cost_usd: { label: 'Cost', show: formatCost },
  }),
);

/** How much of each of its limits a session has used; the time is current while it runs. */
export function SessionLimits({ session }: { readonly session: Session }): JSX.Element {
  const { limits, status, updated_at: updatedAt } = session;
  const sinceMs = status === 'running' ? Math.max(0, now.value - Date.parse(updatedAt)) : 0;
  return (
    <>
      {Object.entries(limits).map(([name, { used, limit }]) => {
        const { label, show } = LIMITS.get(name) ?? { label: name, show: formatNumber };
        const value = Math.min(limit, name === 'max_duration_ms' ? used + sinceMs : used);
        return (
          <Meter
            key={name}
            label={label}
            value={value}
            max={limit}
            text={`${show(value)} of ${show(limit)}`}
          />
        );
      })}
    </>
  );
}
