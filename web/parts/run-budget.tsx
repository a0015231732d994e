import type { JSX } from 'preact';
import { now } from '../base/clock.ts';
import { formatDuration } from '../base/format.ts';
import { useRead } from '../base/use-read.ts';
import { Meter } from './meter.tsx';

interface RunBudgetProps {
  readonly runId: string;
  readonly itemId: string;
  /** What it has done so far; the last step is being done. */
  readonly steps: readonly { readonly step: string; readonly started_at: string }[];
}

/** Setup, agent and tests have the same limit, each for itself. */
const LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({ setup: 'Time of the setup of', agent: 'Time of', tests: 'Time of the tests of' }),
);

/** How much of its time a running agent, its setup or its tests have used. The other limits are checked when the agent ends. */
export function RunBudget({ runId, itemId, steps }: RunBudgetProps): JSX.Element | null {
  const { data: run } = useRead('work show', { id: runId }, ({ runs }) => runs.includes(runId));
  const limitMs = run?.limits.timeout_ms?.limit;
  const { step = 'agent', started_at: startedAt = run?.started_at ?? null } = steps.at(-1) ?? {};
  const label = LABELS.get(step);
  if (limitMs === undefined || startedAt === null || run?.status !== 'running' || label === undefined)
    return null;
  const usedMs = Math.min(limitMs, Math.max(0, now.value - Date.parse(startedAt)));
  return (
    <Meter
      label={`${label} ${itemId}`}
      value={usedMs}
      max={limitMs}
      text={`${formatDuration(usedMs)} of ${formatDuration(limitMs)}`}
    />
  );
}
