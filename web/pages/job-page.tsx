import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Reads } from '../base/commands.ts';
import { baseName, formatClock, formatCost, plural } from '../base/format.ts';
import { query, select } from '../base/router.ts';
import { shownStep } from '../base/state.ts';
import { itemsLeft } from '../base/stopped-job.ts';
import { withTurns, type TimelineItem } from '../base/timeline-bars.ts';
import { ANNOUNCED_MS, useInterval } from '../base/use-interval.ts';
import { useChosenInView } from '../base/use-current-in-view.ts';
import { useListKeys } from '../base/use-list-keys.ts';
import { useRead } from '../base/use-read.ts';
import { announce } from '../parts/announcement.tsx';
import { Badge, StateBadge } from '../parts/badge.tsx';
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
  useInterval(ANNOUNCED_MS, job?.queue !== undefined && job.ended_at === null, refresh);
  const chosen = query.value.get('item') ?? undefined;
  const selected = job?.items.find(({ item_id }) => item_id === chosen) ?? (job && mostUrgent(job.items));
  useListKeys(
    job?.items ?? [],
    (item) => item === selected,
    ({ item_id }) => select({ item: item_id, tab: undefined }),
  );
  const drawer = useRef<HTMLElement>(null);
  useChosenInView(drawer, selected?.item_id);
  if (job === undefined)
    return (
      <>
        <h1 class="hidden">Job</h1>
        {error === undefined ? <Loading /> : <Failure error={error} />}
      </>
    );
  const onDecided = (message: string): void => {
    announce(message);
    refresh();
  };
  return (
    <>
      <JobHead job={job} onChanged={refresh} />
      <JobOverview job={job} selected={selected?.item_id} />
      <section class="panel drawer" aria-label="Selected item" ref={drawer}>
        {selected?.run_id === null || selected?.run_id === undefined ? (
          <Empty>{whyNoRun(job, selected)}</Empty>
        ) : (
          <RunView key={selected.run_id} runId={selected.run_id} onDecided={onDecided} />
        )}
      </section>
    </>
  );
}

/** The status of an item, even if its changes were rolled back later. */
function shownStatus({ status, rolled_back: isRolledBack }: Item): string {
  return isRolledBack === true ? 'rolled_back' : status;
}

/** When a job ended; null while it runs or waits. One that was cancelled or killed ended with the last of its runs. */
function endOf({ status, ended_at, waiting, items }: Job): string | null {
  if (status === 'running' || waiting.length > 0) return ended_at;
  return (
    ended_at ??
    items
      .flatMap((item) => item.ended_at ?? [])
      .toSorted()
      .at(-1) ??
    null
  );
}

/** Why there is no run to show. */
function whyNoRun({ items, held }: Job, selected: Item | undefined): string {
  if (selected === undefined) return 'This job has no items.';
  const { item_id: id, status, host, dependencies = [] } = selected;
  if (status === 'running') return `${id} was taken by ${host ?? 'a worker'}; its run begins.`;
  const open = dependencies.filter(
    (name) => items.find(({ item_id }) => item_id === name)?.status !== 'success',
  );
  if (open.length > 0) return `${id} waits for ${open.join(', ')}.`;
  return held === undefined ? `${id} has not started yet.` : `${id} has not started yet: ${held}`;
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
      <Panel title="Graph" class="graph-panel" aside={<StateCounts statuses={job.items.map(shownStatus)} />}>
        <GraphView
          label="Dependencies of the items"
          nodes={job.items.map((item) => ({
            id: item.item_id,
            title: item.item_id,
            dependencies: item.dependencies ?? [],
            ...shownStep(shownStatus(item), item.step),
          }))}
          selected={selected}
          hrefOf={hrefOf}
        />
      </Panel>
      <Panel title="Timeline" aside={<Legend hasWaiting={job.waiting.length > 0} />}>
        <TimelineView
          items={timelineItems(job)}
          from={job.created_at}
          to={endOf(job)}
          selected={selected}
          hrefOf={hrefOf}
        />
      </Panel>
    </div>
  );
}

function timelineItems(job: Job): readonly TimelineItem[] {
  const items = job.items.map((item) => ({
    id: item.item_id,
    dependencies: item.dependencies ?? [],
    status: shownStatus(item),
    startedAt: item.started_at ?? (item.status === 'running' ? (item.since ?? null) : null),
    // The receipt of a run on another host is written before a person decides.
    endedAt: item.status === 'waiting' ? null : (item.ended_at ?? null),
    agentMs: item.agent_ms ?? 0,
    testsMs: item.tests_ms ?? null,
    decidedAt: item.decided_at ?? null,
    steps: item.steps ?? [],
  }));
  // In a queue each item lands when its worker has ended.
  return job.queue === undefined ? withTurns(items) : items;
}

function JobHead({ job, onChanged }: { readonly job: Job; readonly onChanged: () => void }): JSX.Element {
  const cost = job.items.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  return (
    <div class="page-head">
      <h1>{baseName(job.root ?? job.job_id)}</h1>
      {(job.status === 'running' || job.waiting.length === 0) && <JobBadge job={job} />}
      {job.waiting.length > 0 && (
        <a class="badge waits" href={`/inbox?run=${job.waiting[0]}`}>
          <Glyph state="waits" />
          {job.waiting.length} {job.waiting.length === 1 ? 'waits' : 'wait'} for you
        </a>
      )}
      <span class="muted">
        started {formatClock(job.created_at)} · <Elapsed from={job.created_at} to={endOf(job)} />
        {cost > 0 && ` · ${formatCost(cost)}`} · {plural(job.items.length, 'item')}
        {job.branch !== undefined && ` · branch ${job.branch}`}
        {job.queue !== undefined && ` · queue ${job.queue}`}
      </span>
      <span class="spacer" />
      <JobActions job={job} onChanged={onChanged} />
      <CommandLine line={`deed work status ${job.job_id} --detail`} />
    </div>
  );
}

function JobBadge({ job }: { readonly job: Job }): JSX.Element {
  const left = itemsLeft(job);
  if (left === 0 || job.status !== 'pending') return <Badge status={job.status} />;
  return (
    <StateBadge state="waits" label={`Stopped: ${plural(left, 'item has', 'items have')} not run yet`} />
  );
}

const URGENT = ['waiting', 'running', 'failure', 'denied', 'timeout', 'lost'];

function mostUrgent(items: readonly Item[]): Item | undefined {
  const found = URGENT.map((wanted) => items.find(({ status }) => status === wanted)).find(Boolean);
  return found ?? items[0];
}

const LEGEND = { queue: 'queued', agent: 'agent', tests: 'tests', promotion: 'promotion' };

function Legend({ hasWaiting }: { readonly hasWaiting: boolean }): JSX.Element {
  const entries = Object.entries({ ...LEGEND, ...(hasWaiting && { wait: 'waits for you' }) });
  return (
    <span class="legend" aria-hidden="true">
      {entries.map(([kind, label]) => (
        <span key={kind}>
          <span class={`swatch ${kind}`} />
          {label}
        </span>
      ))}
    </span>
  );
}
