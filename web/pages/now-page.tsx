import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { baseName } from '../base/format.ts';
import { shownState } from '../base/state.ts';
import type { FleetJob } from '../base/use-fleet.ts';
import type { InboxItem } from '../base/use-inbox.ts';
import { useRead } from '../base/use-read.ts';
import { groupByJob, type JobRow, type RunRow } from '../base/use-runs.ts';
import { CostPanel } from '../parts/cost-panel.tsx';
import { FleetJobRows } from '../parts/fleet-jobs.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { HostsPanel } from '../parts/hosts-panel.tsx';
import { InboxRows } from '../parts/inbox-rows.tsx';
import { JobList } from '../parts/job-list.tsx';
import { LeftRunningPanel } from '../parts/left-running-panel.tsx';
import { Empty, Loading } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { RunningJob } from '../parts/running-job.tsx';
import { RunningSessions } from '../parts/running-sessions.tsx';
import { Age } from '../parts/time.tsx';

const SEEN_KEY = 'deed.seen';
const MAX_ROWS = 8;
/** A browser opens at most six connections to one server, and each live line needs one. */
const MAX_FOLLOWED = 3;

interface NowProps {
  readonly runs: readonly RunRow[] | undefined;
  readonly inbox: readonly InboxItem[] | undefined;
  readonly fleetJobs: readonly FleetJob[] | undefined;
}

/** What runs, what waits for a person, what failed since the last visit, and what it costs. */
export default function NowPage({ runs, inbox, fleetJobs }: NowProps): JSX.Element {
  if (runs === undefined || inbox === undefined) return <Loading />;
  const jobs = groupByJob(runs);
  const running = jobs.filter((job) => job.runs.some(({ status }) => status === 'running'));
  const fleetRunning = (fleetJobs ?? []).filter((job) => job.running.length > 0);
  return (
    <>
      <h1 class="hidden">Now</h1>
      <div class="now">
        <div class="now-column">
          <Panel title="Waits for you" count={inbox.length} command="deed work list --status waiting">
            {inbox.length === 0 && <Empty>Nothing waits for you.</Empty>}
            <ul class="rows">
              <InboxRows items={inbox.slice(0, MAX_ROWS)} />
              <More count={inbox.length} />
            </ul>
          </Panel>
          <FailedPanel runs={runs} />
          <RecentJobs jobs={jobs} isShared={fleetJobs !== undefined} />
        </div>
        <div class="now-column">
          <Panel
            title="Running"
            count={running.length + fleetRunning.length}
            command="deed work list --status running"
          >
            {running.length + fleetRunning.length === 0 && <Empty>No job is running.</Empty>}
            {fleetRunning.length > 0 && <FleetJobRows jobs={fleetRunning} />}
            <ul class="rows">
              {running.map(({ id }, index) => (
                <RunningJob key={id} jobId={id} isFollowed={index < MAX_FOLLOWED} />
              ))}
              <RunningSessions />
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
          No job has run on this host. <a href="/jobs">Jobs</a> has those in the queues of all hosts.
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

/** The runs that failed after the person last said that they are known. */
function FailedPanel({ runs }: { readonly runs: readonly RunRow[] }): JSX.Element {
  const [seen, setSeen] = useState(() => localStorage.getItem(SEEN_KEY) ?? '');
  const failed = runs.filter(({ status, at }) => shownState(status).state === 'failed' && at > seen);
  const markSeen = (): void => {
    const newest = failed[0]?.at ?? new Date().toISOString();
    localStorage.setItem(SEEN_KEY, newest);
    setSeen(newest);
  };
  return (
    <Panel
      title="Failed since you last looked"
      count={failed.length}
      aside={
        failed.length > 0 && (
          <button type="button" class="small" onClick={markSeen}>
            Mark as seen
          </button>
        )
      }
    >
      {failed.length === 0 && <Empty>Nothing failed.</Empty>}
      <ul class="rows">
        {failed.slice(0, MAX_ROWS).map((run) => (
          <FailedRow key={run.run_id} run={run} />
        ))}
        <More count={failed.length} />
      </ul>
    </Panel>
  );
}

/** A run that failed, with the reason. */
function FailedRow({ run }: { readonly run: RunRow }): JSX.Element {
  const { run_id: id, status, problem } = run;
  // A damaged run has its reason in the list, and cannot be read.
  const { data } = useRead('work show', status === 'damaged' ? undefined : { id }, () => false);
  const reason = problem ?? data?.result?.denial_reason ?? data?.result?.error;
  return (
    <li>
      <a class="row" href={jobHref(run)}>
        <Glyph state="failed" />
        <span class="row-title">{run.item_id === '' ? id : run.item_id}</span>
        <span class="row-side">
          <span>{shownState(status).label}</span>
          <Age at={run.at} />
        </span>
        <span class="row-line muted">
          {baseName(run.root)} · {run.agent_id === '' ? 'unknown agent' : run.agent_id}
          {reason !== undefined && ` · ${reason}`}
        </span>
      </a>
    </li>
  );
}

function More({ count }: { readonly count: number }): JSX.Element | null {
  return count > MAX_ROWS ? <li class="more muted">and {count - MAX_ROWS} more</li> : null;
}

function jobHref({ job_id, item_id }: RunRow): string {
  return job_id === null ? '/jobs' : `/jobs/${job_id}?item=${encodeURIComponent(item_id)}`;
}
