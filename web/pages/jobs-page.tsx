import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { plural } from '../base/format.ts';
import type { FleetJob } from '../base/use-fleet.ts';
import { usePages } from '../base/use-pages.ts';
import { groupByJob } from '../base/use-runs.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { FleetJobs } from '../parts/fleet-jobs.tsx';
import { JobLink } from '../parts/job-list.tsx';
import { Empty, Failure, Loading } from '../parts/notice.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';

const PAGE = 200;
const ROW_PX = 57;

interface JobsProps {
  readonly fleetJobs: readonly FleetJob[] | undefined;
}

/** All jobs, newest first. */
export default function JobsPage({ fleetJobs }: JobsProps): JSX.Element {
  const { items, total, error, loadMore } = usePages(
    'work list',
    { limit: PAGE },
    { keyOf: ({ run_id }) => run_id, isAffected: ({ runs, jobs }) => runs.length + jobs.length > 0 },
  );
  const jobs = useMemo(() => groupByJob(items ?? []), [items]);
  if (items === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  return (
    <>
      <div class="page-head">
        <h1>Jobs</h1>
        <span class="muted">{plural(total ?? items.length, 'run')}</span>
        <span class="spacer" />
        <CommandLine line="deed work list" />
      </div>
      <FleetJobs jobs={fleetJobs} />
      {jobs.length === 0 ? (
        <Empty command="deed work run plan.yaml --dry-run">
          {fleetJobs === undefined ? 'No job has run yet.' : 'No job has run on this host.'}
        </Empty>
      ) : (
        <VirtualList
          class="panel pane-list"
          label="Jobs"
          items={jobs}
          rowHeight={ROW_PX}
          keyOf={({ id }) => id}
          onEnd={loadMore}
          render={(job) => <JobLink job={job} />}
        />
      )}
    </>
  );
}
