import type { JSX } from 'preact';
import type { FleetJob } from '../base/use-fleet.ts';
import { baseName } from '../base/format.ts';
import { StateCounts } from './job-list.tsx';
import { Glyph } from './glyph.tsx';
import { Empty } from './notice.tsx';
import { Panel } from './panel.tsx';
import { Age } from './time.tsx';

interface FleetJobsProps {
  /** Undefined for a home without a shared store. */
  readonly jobs: readonly FleetJob[] | undefined;
}

/** The jobs in the queues of the shared store that have not ended. */
export function FleetJobs({ jobs }: FleetJobsProps): JSX.Element | null {
  if (jobs === undefined) return null;
  return (
    <Panel title="In the queues of all hosts" count={jobs.length} command="deed work fleet">
      {jobs.length === 0 && <Empty>No job is in a queue.</Empty>}
      <FleetJobRows jobs={jobs} />
    </Panel>
  );
}

export function FleetJobRows({ jobs }: { readonly jobs: readonly FleetJob[] }): JSX.Element {
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <li key={job.job_id}>
          <a class="row" href={`/jobs/${job.job_id}`}>
            <Glyph state={job.running.length > 0 ? 'running' : job.waiting.length > 0 ? 'waits' : 'queued'} />
            <span class="row-title">{baseName(job.repository)}</span>
            <span class="row-side">
              <StateCounts statuses={statusesOf(job)} />
              <Age at={job.created_at} />
            </span>
            <span class="row-line muted">
              queue {job.queue}, for branch {job.branch} · from {job.submitted_by} · {job.job_id}
            </span>
            {job.running.map(({ item_id, host }) => (
              <span key={item_id} class="row-line">
                {item_id} runs on {host}
              </span>
            ))}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The status that a run has at each step of its item. */
const STATUSES = {
  queued: 'pending',
  claimed: 'running',
  requeued: 'running',
  result: 'ready',
  waiting: 'waiting',
  promoted: 'success',
  ended: 'failed',
  cancelled: 'cancelled',
} as const;

function statusesOf({ steps }: FleetJob): readonly string[] {
  return Object.entries(STATUSES).flatMap(([step, status]) =>
    Array.from({ length: steps[step as keyof typeof steps] }, () => status),
  );
}
