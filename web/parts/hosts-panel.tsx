import type { JSX } from 'preact';
import type { Reads } from '../base/commands.ts';
import { useFleet } from '../base/use-fleet.ts';
import { Glyph } from './glyph.tsx';
import { Empty } from './notice.tsx';
import { Panel } from './panel.tsx';
import { Elapsed, MeasuredAge } from './time.tsx';

type Worker = Reads['worker list']['output']['items'][number];

const MAX_ROWS = 20;

/** The workers of all hosts and what they run; nothing for a home without a shared store. */
export function HostsPanel(): JSX.Element | null {
  const { data } = useFleet('worker list');
  if (data === undefined) return null;
  const workers = data.items.filter(({ role }) => role === 'worker');
  return (
    <Panel title="Hosts" count={workers.length} command="deed worker list">
      {workers.length === 0 && <Empty command="deed worker start">No worker is running.</Empty>}
      <ul class="rows">
        {workers.slice(0, MAX_ROWS).map((worker) => (
          <WorkerRows key={worker.worker_id} worker={worker} />
        ))}
        {workers.length > MAX_ROWS && <li class="more muted">and {workers.length - MAX_ROWS} more</li>}
      </ul>
    </Panel>
  );
}

function WorkerRows({ worker }: { readonly worker: Worker }): JSX.Element {
  const { host, queue, status, runs, jobs, seen_at, age_seconds } = worker;
  return (
    <>
      <li class="row">
        <Glyph state={status === 'lost' ? 'failed' : runs.length > 0 ? 'running' : 'queued'} />
        <span class="row-title">{host}</span>
        <span class="row-side">
          <span>{status}</span>
          <span class="number">
            {runs.length} of {jobs}
          </span>
        </span>
        <span class="row-line muted">
          {queue} · seen <MeasuredAge at={seen_at} seconds={age_seconds} />
        </span>
      </li>
      {runs.map(({ job_id, item_id, attempt, since, last_line }) => (
        <li key={`${job_id}/${item_id}`}>
          <a class="row" href={`/jobs/${job_id}?item=${encodeURIComponent(item_id)}`}>
            <span class="row-title">{item_id}</span>
            <span class="row-side">
              {attempt > 1 && <span>attempt {attempt}</span>}
              <Elapsed from={since} />
            </span>
            <span class="row-line mono">{last_line ?? ' '}</span>
          </a>
        </li>
      ))}
    </>
  );
}
