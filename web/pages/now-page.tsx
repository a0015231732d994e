import type { JSX } from 'preact';
import type { FleetJob } from '../base/use-fleet.ts';
import type { InboxItem } from '../base/use-inbox.ts';
import { useLastLines } from '../base/use-last-lines.ts';
import { groupByJob, type JobRow, type RunRow } from '../base/use-runs.ts';
import { CostPanel } from '../parts/cost-panel.tsx';
import { FailedOnAllHosts, FailedPanel } from '../parts/failed-panel.tsx';
import { FleetJobRows } from '../parts/fleet-jobs.tsx';
import { HostsPanel } from '../parts/hosts-panel.tsx';
import { InboxRows } from '../parts/inbox-rows.tsx';
import { JobList } from '../parts/job-list.tsx';
import { LeftRunningPanel } from '../parts/left-running-panel.tsx';
import { More } from '../parts/more.tsx';
import { Empty, Loading } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { RunningJob } from '../parts/running-job.tsx';
import { RunningSession, useRunningSessions } from '../parts/running-sessions.tsx';

const MAX_ROWS = 8;

interface NowProps {
  readonly runs: readonly RunRow[] | undefined;
  readonly inbox: readonly InboxItem[] | undefined;
  readonly fleetJobs: readonly FleetJob[] | undefined;
}

/** What runs, what waits for a person, what failed since the last visit, and what it costs. */
export default function NowPage({ runs, inbox, fleetJobs }: NowProps): JSX.Element {
  const jobs = groupByJob(runs ?? []);
  const running = jobs.filter((job) => job.runs.some(({ status }) => status === 'running'));
  const sessions = useRunningSessions();
  const lines = useLastLines(running.map(({ id }) => id));
  if (runs === undefined || inbox === undefined) return <Loading />;
  const fleetRunning = (fleetJobs ?? []).filter((job) => job.running.length > 0);
  const count = running.length + fleetRunning.length + (sessions ?? []).length;
  return (
    <>
      <h1 class="hidden">Now</h1>
      <div class="now">
        <div class="now-column">
          <Panel title="Waits for you" count={inbox.length} command="deed work list --status waiting">
            {inbox.length === 0 && <Empty>Nothing waits for you.</Empty>}
            <ul class="rows">
              <InboxRows items={inbox.slice(0, MAX_ROWS)} />
              <More count={inbox.length - MAX_ROWS} href="/inbox" />
            </ul>
          </Panel>
          {fleetJobs === undefined ? <FailedPanel runs={runs} /> : <FailedOnAllHosts runs={runs} />}
          <RecentJobs jobs={jobs} isShared={fleetJobs !== undefined} />
        </div>
        <div class="now-column">
          <Panel title="Running" count={count} command="deed work list --status running">
            {count === 0 && (sessions === undefined ? <Loading /> : <Empty>Nothing is running.</Empty>)}
            {fleetRunning.length > 0 && <FleetJobRows jobs={fleetRunning} />}
            <ul class="rows">
              {running.map(({ id }) => (
                <RunningJob key={id} jobId={id} line={lines.get(id)} />
              ))}
              {(sessions ?? []).map((session) => (
                <RunningSession key={session.id} session={session} />
              ))}
            </ul>
          </Panel>
          <HostsPanel />
          <LeftRunningPanel />
          <CostPanel />
        </div>
      </div>
    </>
  );
}

interface RecentJobsProps {
  readonly jobs: readonly JobRow[];
  readonly isShared: boolean;
}

function RecentJobs({ jobs, isShared }: RecentJobsProps): JSX.Element {
  return (
    <Panel title="Recent jobs" command="deed work list">
      {jobs.length === 0 && isShared && (
        <Empty>
          No job has run on this host. <a href="/jobs">Jobs</a> lists the jobs in the queues of all hosts.
        </Empty>
      )}
      {jobs.length === 0 && !isShared && (
        <Empty command="deed demo">
          No agent has worked here yet. The demo shows a whole plan in a minute.
        </Empty>
      )}
      <JobList jobs={jobs.slice(0, MAX_ROWS)} />
    </Panel>
  );
}
