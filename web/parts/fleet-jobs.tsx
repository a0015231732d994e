import type { JSX } from 'preact';
import { plural } from '../base/format.ts';
import { useFleet } from '../base/use-fleet.ts';
import { Glyph } from './glyph.tsx';
import { Empty } from './notice.tsx';
import { Panel } from './panel.tsx';
import { Age } from './time.tsx';

/** The jobs in the queues of the shared store that have not ended; nothing for a home without one. */
export function FleetJobs(): JSX.Element | null {
  const { data } = useFleet('work fleet');
  if (data === undefined) return null;
  return (
    <Panel title="In the queues of all hosts" count={data.count} command="deed work fleet">
      {data.jobs.length === 0 && <Empty>No job is in a queue.</Empty>}
      <ul class="rows">
        {data.jobs.map(({ job_id, queue, branch, submitted_by, created_at, items, running, steps }) => (
          <li key={job_id}>
            <a class="row" href={`/jobs/${job_id}`}>
              <Glyph state={running.length > 0 ? 'running' : 'queued'} />
              <span class="row-title">
                {queue} → {branch}
              </span>
              <span class="row-side">
                <span class="number">
                  {steps.promoted} of {items}
                </span>
                <Age at={created_at} />
              </span>
              <span class="row-line muted">
                from {submitted_by} ·{' '}
                {running.length === 0
                  ? `${plural(steps.queued, 'item')} queued`
                  : running.map(({ item_id, host }) => `${item_id} on ${host}`).join(', ')}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
