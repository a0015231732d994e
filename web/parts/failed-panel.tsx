import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CallError } from '../base/api.ts';
import { baseName } from '../base/format.ts';
import { shownState } from '../base/state.ts';
import { useFleet, type FleetJob } from '../base/use-fleet.ts';
import { useRead } from '../base/use-read.ts';
import { useRunsSince } from '../base/use-runs-since.ts';
import type { RunRow } from '../base/use-runs.ts';
import { Glyph } from './glyph.tsx';
import { More } from './more.tsx';
import { Empty, Failure } from './notice.tsx';
import { Panel } from './panel.tsx';
import { Age } from './time.tsx';

const SEEN_KEY = 'deed.seen';
const MAX_ROWS = 8;

/** An item that failed on another host. */
interface FailedElsewhere {
  readonly job: FleetJob;
  readonly item: FleetJob['failed'][number];
}

interface FailedPanelProps {
  readonly runs: readonly RunRow[];
  readonly elsewhere?: readonly FailedElsewhere[];
  /** Why other hosts could not be asked. */
  readonly error?: CallError | undefined;
}

/** With the items of the newest jobs in the queues, also those that ended. */
export function FailedOnAllHosts({ runs }: { readonly runs: readonly RunRow[] }): JSX.Element {
  const { data, error } = useFleet('work fleet', { all: true });
  const here = new Set<string | null>(runs.map(({ run_id }) => run_id));
  const elsewhere = (data?.jobs ?? []).flatMap((job) =>
    job.failed.filter(({ run_id }) => !here.has(run_id)).map((item) => ({ job, item })),
  );
  return <FailedPanel runs={runs} elsewhere={elsewhere} error={error} />;
}

/** What failed after the person last said that it is known. */
export function FailedPanel({ runs, elsewhere = [], error }: FailedPanelProps): JSX.Element {
  const [seen, setSeen] = useState(() => localStorage.getItem(SEEN_KEY) ?? '');
  const failed = [
    ...(useRunsSince(seen) ?? runs)
      .filter(({ status }) => shownState(status).state === 'failed')
      .map((run) => ({ at: run.at, row: <FailedRow key={run.run_id} run={run} /> })),
    ...elsewhere.map((each) => ({
      at: each.item.at,
      row: <FailedElsewhereRow key={`${each.job.job_id} ${each.item.item_id}`} {...each} />,
    })),
  ]
    .filter(({ at }) => at > seen)
    .sort((a, b) => (a.at < b.at ? 1 : -1));
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
      {error !== undefined && <Failure error={error} />}
      {failed.length === 0 && error === undefined && <Empty>Nothing failed.</Empty>}
      <ul class="rows">
        {failed.slice(0, MAX_ROWS).map(({ row }) => row)}
        <More count={failed.length - MAX_ROWS} href="/jobs" />
      </ul>
    </Panel>
  );
}

/** A run that failed, with the reason. */
function FailedRow({ run }: { readonly run: RunRow }): JSX.Element {
  const { run_id: id, job_id: jobId, item_id: itemId, status, problem } = run;
  // A damaged run has its reason in the list, and cannot be read.
  const { data } = useRead('work show', status === 'damaged' ? undefined : { id }, () => false);
  const reason = problem ?? data?.result?.denial_reason ?? data?.result?.error;
  return (
    <li>
      <a class="row" href={jobId === null ? '/jobs' : itemHref(jobId, itemId)}>
        <Glyph state="failed" />
        <span class="row-title">{itemId === '' ? id : itemId}</span>
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

function FailedElsewhereRow({ job, item }: FailedElsewhere): JSX.Element {
  const { run_id: id } = item;
  const { data } = useRead('work show', id === null ? undefined : { id }, () => false);
  const reason = data?.result?.denial_reason ?? data?.result?.error ?? item.code;
  return (
    <li>
      <a class="row" href={itemHref(job.job_id, item.item_id)}>
        <Glyph state="failed" />
        <span class="row-title">{item.item_id}</span>
        <span class="row-side">
          <span>{shownState('failed').label}</span>
          <Age at={item.at} />
        </span>
        <span class="row-line muted">
          {baseName(job.repository)} · on {item.host}
          {reason !== null && ` · ${reason}`}
        </span>
      </a>
    </li>
  );
}

function itemHref(jobId: string, itemId: string): string {
  return `/jobs/${jobId}?item=${encodeURIComponent(itemId)}`;
}
