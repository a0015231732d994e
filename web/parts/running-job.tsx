import type { JSX } from 'preact';
import type { Streams } from '../base/commands.ts';
import { baseName, formatCost } from '../base/format.ts';
import { plainOutput } from '../base/plain-output.ts';
import { useRead } from '../base/use-read.ts';
import { Glyph } from './glyph.tsx';
import { StateCounts } from './job-list.tsx';
import { Meter } from './meter.tsx';
import { RunBudget } from './run-budget.tsx';
import { Elapsed } from './time.tsx';

interface RunningJobProps {
  readonly jobId: string;
  /** The last line of its agents. */
  readonly line: Streams['work log']['output'] | undefined;
}

/** A running job: its progress, and the last line of its agents. */
export function RunningJob({ jobId, line }: RunningJobProps): JSX.Element | null {
  const { data: job } = useRead('work status', { id: jobId, detail: true }, ({ jobs, runs }) =>
    runs.length > 0 ? true : jobs.includes(jobId),
  );
  if (job === undefined) return null;
  const ended = Math.round(job.progress * job.items.length);
  const cost = job.items.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  return (
    <li>
      <a class="row job" href={`/jobs/${jobId}`}>
        <Glyph state="running" />
        <span class="row-title">{baseName(job.root ?? jobId)}</span>
        <span class="row-side">
          <StateCounts statuses={job.items.map(({ status }) => status)} />
          <Elapsed from={job.created_at} to={job.ended_at} />
          {cost > 0 && <span class="number">{formatCost(cost)}</span>}
        </span>
        <span class="row-line mono" aria-live="off">
          {line === undefined ? ' ' : `${line.item_id}: ${plainOutput(line.text)}`}
        </span>
      </a>
      <div class="row-meter">
        <Meter label="Items" value={ended} max={job.items.length} text={`${ended} of ${job.items.length}`} />
        {job.items.flatMap(({ item_id, run_id, status, steps = [] }) =>
          status === 'running' && run_id !== null
            ? [<RunBudget key={run_id} runId={run_id} itemId={item_id} steps={steps} />]
            : [],
        )}
      </div>
    </li>
  );
}
