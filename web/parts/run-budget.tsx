import type { JSX } from 'preact';
import { now } from '../base/clock.ts';
import { formatDuration } from '../base/format.ts';
import { useRead } from '../base/use-read.ts';
import { Meter } from './meter.tsx';

interface RunBudgetProps {
  readonly runId: string;
  readonly itemId: string;
}

/** How much of its time a running agent has used. Its other limits are checked when it ends. */
export function RunBudget({ runId, itemId }: RunBudgetProps): JSX.Element | null {
  const { data: run } = useRead('work show', { id: runId }, ({ runs }) => runs.includes(runId));
  const limitMs = run?.limits.timeout_ms?.limit;
  if (run === undefined || limitMs === undefined || run.started_at === null || run.status !== 'running')
    return null;
  const usedMs = Math.min(limitMs, Math.max(0, now.value - Date.parse(run.started_at)));
  return (
    <Meter
      label={`Time of ${itemId}`}
      value={usedMs}
      max={limitMs}
      text={`${formatDuration(usedMs)} of ${formatDuration(limitMs)}`}
    />
  );
}
