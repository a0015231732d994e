import type { JSX } from 'preact';
import type { Reads } from '../base/commands.ts';
import { baseName, formatClock, formatCost, plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { shownState } from '../base/state.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { useRead } from '../base/use-read.ts';
import { announce } from '../parts/announcement.tsx';
import { Badge } from '../parts/badge.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { GraphView } from '../parts/graph-view.tsx';
import { StateCounts } from '../parts/job-list.tsx';
import { JobActions } from '../parts/job-actions.tsx';
import { Empty, Failure, Loading } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { RunView } from '../parts/run-view.tsx';
import { Elapsed } from '../parts/time.tsx';
import { TimelineView } from '../parts/timeline-view.tsx';

type Job = Reads['work status']['output'];
type Item = Job['items'][number];

/** A job: the graph of its items, their timeline, and one run in detail. */
export default function JobPage({ jobId }: { readonly jobId: string }): JSX.Element {
  const {
    data: job,
    error,
    refresh,
  } = useRead('work status', { id: jobId, detail: true }, ({ jobs, runs }) =>
    runs.length > 0 ? true : jobs.includes(jobId),
  );
  const chosen = query.value.get('item') ?? undefined;
  const selected = job?.items.find(({ item_id }) => item_id === chosen) ?? (job && mostUrgent(job.items));
  useListKeys(
    job?.items ?? [],
    (item) => item === selected,
    ({ item_id }) => select({ item: item_id, tab: undefined }),
  );
  if (job === undefined) return error === undefined ? <Loading /> : <Failure error={error} />;
  const onDecided = (message: string): void => {
    announce(message);
    refresh();
  };
  return (
    <>
      <JobHead job={job} onChanged={refresh} />
      <JobOverview job={job} selected={selected?.item_id} />
      <section class="panel drawer" aria-label="Selected item">
        {selected?.run_id === null || selected?.run_id === undefined ? (
          <Empty>
            {selected === undefined ? 'This job has no items.' : `${selected.item_id} has not started yet.`}
          </Empty>
        ) : (
          <RunView key={selected.run_id} runId={selected.run_id} onDecided={onDecided} />
        )}
      </section>
    </>
  );
}

/** The items of a job, as a graph and in time. */
function JobOverview({
  job,
  selected,
}: {
  readonly job: Job;
  readonly selected: string | undefined;
}): JSX.Element {
  const hrefOf = (id: string): string => `/jobs/${job.job_id}?item=${encodeURIComponent(id)}`;
  return (
    <div class="job-overview">
      <Panel
        title="Graph"
        class="graph-panel"
        aside={<StateCounts statuses={job.items.map(({ status }) => status)} />}
      >
        <GraphView
          label="Dependencies of the items"
          nodes={job.items.map(({ item_id, status, dependencies }) => ({
            id: item_id,
            title: item_id,
            dependencies: dependencies ?? [],
            ...shownState(status),
          }))}
          selected={selected}
          hrefOf={hrefOf}
        />
      </Panel>
      <Panel title="Timeline" aside={<Legend />}>
        <TimelineView
          items={job.items.map((item) => ({
            id: item.item_id,
            status: item.status,
            startedAt: item.started_at ?? null,
            endedAt: item.ended_at ?? null,
            agentMs: item.agent_ms ?? 0,
            testsMs: item.tests_ms ?? null,
          }))}
          from={job.created_at}
          to={job.ended_at}
          selected={selected}
          hrefOf={hrefOf}
        />
      </Panel>
    </div>
  );
}

function JobHead({ job, onChanged }: { readonly job: Job; readonly onChanged: () => void }): JSX.Element {
  const cost = job.items.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  const isOpen = job.status === 'running';
  return (
    <div class="page-head">
      <h1>{baseName(job.root ?? job.job_id)}</h1>
      {(job.status === 'running' || job.waiting.length === 0) && <Badge status={job.status} />}
      {job.waiting.length > 0 && (
        <a class="badge waits" href={`/inbox?run=${job.waiting[0]}`}>
          <Glyph state="waits" />
          {job.waiting.length} {job.waiting.length === 1 ? 'waits' : 'wait'} for you
        </a>
      )}
      <span class="muted">
        started {formatClock(job.created_at)} ·{' '}
        <Elapsed from={job.created_at} to={isOpen ? null : job.ended_at} />
        {cost > 0 && ` · ${formatCost(cost)}`} · {plural(job.items.length, 'item')}
        {job.branch !== undefined && ` · branch ${job.branch}`}
      </span>
      <span class="spacer" />
      <JobActions job={job} onChanged={onChanged} />
      <CommandLine line={`deed work status ${job.job_id} --detail`} />
    </div>
  );
}

const URGENT = ['waiting', 'running', 'failure', 'denied', 'timeout', 'lost'];

function mostUrgent(items: readonly Item[]): Item | undefined {
  const found = URGENT.map((wanted) => items.find(({ status }) => status === wanted)).find(Boolean);
  return found ?? items[0];
}

function Legend(): JSX.Element {
  return (
    <span class="legend" aria-hidden="true">
      {(['queue', 'agent', 'tests', 'promotion'] as const).map((kind) => (
        <span key={kind}>
          <span class={`swatch ${kind}`} />
          {kind === 'queue' ? 'queued' : kind}
        </span>
      ))}
    </span>
  );
}
