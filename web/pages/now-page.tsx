import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { baseName, plural } from '../base/format.ts';
import { shownState } from '../base/state.ts';
import type { InboxItem } from '../base/use-inbox.ts';
import { groupByJob, type JobRow, type RunRow } from '../base/use-runs.ts';
import { CostPanel } from '../parts/cost-panel.tsx';
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
}

/** What runs, what waits for a person, what failed since the last visit, and what it costs. */
export default function NowPage({ runs, inbox }: NowProps): JSX.Element {
  if (runs === undefined || inbox === undefined) return <Loading />;
  const jobs = groupByJob(runs);
  const running = jobs.filter((job) => job.runs.some(({ status }) => status === 'running'));
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
          <RecentJobs jobs={jobs} />
        </div>
        <div class="now-column">
          <Panel title="Running" count={running.length} command="deed work list --status running">
            {running.length === 0 && <Empty>No job is running.</Empty>}
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

function RecentJobs({ jobs }: { readonly jobs: readonly JobRow[] }): JSX.Element {
  return (
    <Panel title="Recent jobs" command="deed work list">
      {jobs.length === 0 && (
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
          <li key={run.run_id}>
            <a class="row" href={jobHref(run)}>
              <Glyph state="failed" />
              <span class="row-title">{run.item_id}</span>
              <span class="row-side">
                <span>{shownState(run.status).label}</span>
                <Age at={run.at} />
              </span>
              <span class="row-line muted">
                {baseName(run.root)} · {run.agent_id} · {plural(run.files, 'file')}
                {run.problem !== undefined && ` · ${run.problem}`}
              </span>
            </a>
          </li>
        ))}
        <More count={failed.length} />
      </ul>
    </Panel>
  );
}

function More({ count }: { readonly count: number }): JSX.Element | null {
  return count > MAX_ROWS ? <li class="more muted">and {count - MAX_ROWS} more</li> : null;
}

function jobHref({ job_id, item_id }: RunRow): string {
  return job_id === null ? '/jobs' : `/jobs/${job_id}?item=${encodeURIComponent(item_id)}`;
}
