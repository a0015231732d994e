import type { JSX } from 'preact';
import type { Reads } from '../base/commands.ts';
import type { State } from '../base/state.ts';
import { useFleet } from '../base/use-fleet.ts';
import { Glyph } from './glyph.tsx';
import { Empty } from './notice.tsx';
import { Panel } from './panel.tsx';
import { Elapsed, MeasuredAge } from './time.tsx';

type Worker = Reads['worker list']['output']['items'][number];

const MAX_ROWS = 20;

/** The workers and integrators of all hosts, and what they run; nothing for a home without a shared store. */
export function HostsPanel(): JSX.Element | null {
  const { data } = useFleet('worker list');
  if (data === undefined) return null;
  const workers = data.items;
  const has = (role: string): boolean => workers.some((worker) => worker.role === role);
  return (
    <Panel title="Hosts" count={new Set(workers.map(({ host }) => host)).size} command="deed worker list">
      {!has('worker') && (
        <Empty command="deed worker start --queue <name>">
          No worker is running: items wait in their queues.
        </Empty>
      )}
      <ul class="rows">
        {workers.slice(0, MAX_ROWS).map((worker) => (
          <WorkerRows key={worker.worker_id} worker={worker} />
        ))}
        {workers.length > MAX_ROWS && <li class="more muted">and {workers.length - MAX_ROWS} more</li>}
      </ul>
      {has('worker') && !has('integrator') && (
        <Empty command="deed integrator start --queue <name>">
          No integrator is running: no result lands.
        </Empty>
      )}
    </Panel>
  );
}

function WorkerRows({ worker }: { readonly worker: Worker }): JSX.Element {
  const { host, role, queue, status, paused, runs, jobs, labels, seen_at, age_seconds } = worker;
  return (
    <>
      <li class="row">
        <Glyph state={GLYPHS[status]} />
        <span class="row-title">{host}</span>
        <span class="row-side">
          <span>{WORDS[status]}</span>
          {role === 'worker' && (
            <span class="number">
              {runs.length} of {jobs} busy
            </span>
          )}
        </span>
        <span class="row-line muted">
          {role} of queue {queue} · seen <MeasuredAge at={seen_at} seconds={age_seconds} />
          {role === 'worker' && ` · ${labels.join(', ')}`}
        </span>
        {paused !== null && <span class="row-line">takes no items: {paused}</span>}
      </li>
      {runs.map(({ job_id, item_id, attempt, since, last_line }) => (
        <li key={`${job_id}/${item_id}`}>
          <a class="row nested" href={`/jobs/${job_id}?item=${encodeURIComponent(item_id)}`}>
            <Glyph state="running" />
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

const GLYPHS: Readonly<Record<Worker['status'], State>> = {
  working: 'running',
  idle: 'queued',
  paused: 'waits',
  draining: 'rolled-back',
  lost: 'failed',
};

const WORDS: Readonly<Record<Worker['status'], string>> = {
  working: 'working',
  idle: 'idle',
  paused: 'paused',
  draining: 'draining: takes no more items',
  lost: 'lost: it does not report',
};
