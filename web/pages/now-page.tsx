import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { baseName, plural } from '../base/format.ts';
import { shownState } from '../base/state.ts';
import { groupByJob, type RunRow } from '../base/use-runs.ts';
import { Glyph } from '../parts/glyph.tsx';
import { JobList } from '../parts/job-list.tsx';
import { Empty, Loading } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { RunningJob } from '../parts/running-job.tsx';
import { Age } from '../parts/time.tsx';

const SEEN_KEY = 'deed.seen';
const MAX_ROWS = 8;
/** A browser opens at most six connections to one server, and each live line needs one. */
const MAX_FOLLOWED = 3;

/** What runs, what waits for a person, and what failed since the last visit. */
export default function NowPage({ runs }: { readonly runs: readonly RunRow[] | undefined }): JSX.Element {
  const [seen, setSeen] = useState(() => localStorage.getItem(SEEN_KEY) ?? '');
  if (runs === undefined) return <Loading />;
  if (runs.length === 0)
    return (
      <>
        <h1>Now</h1>
        <Empty command="deed demo">
          No agent has worked here yet. The demo shows a whole plan in a minute.
        </Empty>
      </>
    );
  const waiting = runs.filter(({ status }) => status === 'waiting').toReversed();
  const failed = runs.filter(({ status, at }) => shownState(status).state === 'failed' && at > seen);
  const jobs = groupByJob(runs);
  const running = jobs.filter((job) => job.runs.some(({ status }) => status === 'running'));
  const markSeen = (): void => {
    const newest = failed[0]?.at ?? new Date().toISOString();
    localStorage.setItem(SEEN_KEY, newest);
    setSeen(newest);
  };
  return (
    <>
      <h1 class="hidden">Now</h1>
      <div class="now">
        <Panel title="Waits for you" count={waiting.length} command="deed work list --status waiting">
          {waiting.length === 0 ? (
            <Empty>Nothing waits for you.</Empty>
          ) : (
            <RunRows runs={waiting} hrefOf={({ run_id }) => `/inbox?run=${run_id}`} />
          )}
        </Panel>
        <Panel title="Running" count={running.length} command="deed work list --status running">
          {running.length === 0 ? (
            <Empty>No job is running.</Empty>
          ) : (
            <ul class="rows">
              {running.map(({ id }, index) => (
                <RunningJob key={id} jobId={id} isFollowed={index < MAX_FOLLOWED} />
              ))}
            </ul>
          )}
        </Panel>
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
          {failed.length === 0 ? <Empty>Nothing failed.</Empty> : <RunRows runs={failed} hrefOf={jobHref} />}
        </Panel>
        <Panel title="Recent jobs" command="deed work list">
          <JobList jobs={jobs.slice(0, MAX_ROWS)} />
        </Panel>
      </div>
    </>
  );
}

function jobHref({ job_id, item_id }: RunRow): string {
  return job_id === null ? '/jobs' : `/jobs/${job_id}?item=${encodeURIComponent(item_id)}`;
}

interface RunRowsProps {
  readonly runs: readonly RunRow[];
  readonly hrefOf: (run: RunRow) => string;
}

function RunRows({ runs, hrefOf }: RunRowsProps): JSX.Element {
  return (
    <ul class="rows">
      {runs.slice(0, MAX_ROWS).map((run) => (
        <li key={run.run_id}>
          <a class="row" href={hrefOf(run)}>
            <Glyph state={shownState(run.status).state} />
            <span class="row-title">{run.item_id}</span>
            <span class="row-side">
              <span class={run.status === 'waiting' ? 'hidden' : ''}>{shownState(run.status).label}</span>
              <Age at={run.at} />
            </span>
            <span class="row-line muted">
              {baseName(run.root)} · {run.agent_id} · {plural(run.files, 'file')}
              {run.problem !== undefined && ` · ${run.problem}`}
            </span>
          </a>
        </li>
      ))}
      {runs.length > MAX_ROWS && <li class="more muted">and {runs.length - MAX_ROWS} more</li>}
    </ul>
  );
}
