import type { JSX } from 'preact';
import { baseName, plural } from '../base/format.ts';
import { itemsLeft } from '../base/stopped-job.ts';
import { useRead } from '../base/use-read.ts';
import { JobActions } from './job-actions.tsx';

/** Offers to continue a job after its last decision; nothing while it needs none. */
export function StoppedJob({ jobId }: { readonly jobId: string }): JSX.Element | null {
  const { data: job, refresh } = useRead('work status', { id: jobId, detail: true }, ({ jobs, runs }) =>
    runs.length > 0 ? true : jobs.includes(jobId),
  );
  const left = job === undefined ? 0 : itemsLeft(job);
  if (job === undefined || left === 0) return null;
  return (
    <div class="stopped-job" role="status">
      <span>
        <a href={`/jobs/${jobId}`}>{baseName(job.root ?? jobId)}</a> has stopped:{' '}
        {plural(left, 'item has', 'items have')} not run yet.
      </span>
      <JobActions job={job} onChanged={refresh} />
    </div>
  );
}
