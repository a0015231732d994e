import type { JSX } from 'preact';
import { baseName, plural } from '../base/format.ts';
import { shownState, STATES, type State } from '../base/state.ts';
import type { JobRow } from '../base/use-runs.ts';
import { Glyph } from './glyph.tsx';
import { Age } from './time.tsx';

/** Jobs as rows: the state of their items, what they worked on, when. */
export function JobList({ jobs }: { readonly jobs: readonly JobRow[] }): JSX.Element {
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <li key={job.id}>
          <JobLink job={job} />
        </li>
      ))}
    </ul>
  );
}

export function JobLink({ job: { id, root, runs, latest } }: { readonly job: JobRow }): JSX.Element {
  return (
    <a class="row" href={`/jobs/${id}`}>
      <Glyph state={worstOf(latest.map(({ status }) => shownState(status).state))} />
      <span class="row-title">{namesOf(runs)}</span>
      <span class="row-side">
        <StateCounts statuses={latest.map(({ status }) => status)} />
        <Age at={runs[0]?.at ?? ''} />
      </span>
      <span class="row-line muted">
        {baseName(root)} · {plural(runs.length, 'run')} · {id}
      </span>
    </a>
  );
}

/** The items of the runs, in the order in which they first ran. */
function namesOf(runs: JobRow['runs']): string {
  return [...new Set(runs.map(({ item_id }) => item_id).toReversed())].join(', ');
}

/** How many have each state. */
export function StateCounts({ statuses }: { readonly statuses: readonly string[] }): JSX.Element {
  const states = statuses.map((status) => shownState(status).state);
  return (
    <span class="counts">
      {STATES.map((state) => {
        const count = states.filter((other) => other === state).length;
        return (
          count > 0 && (
            <span key={state} class={`badge ${state}`}>
              <Glyph state={state} />
              <span class="number">{count}</span>
              <span class="hidden">{NAMES[state]}</span>
            </span>
          )
        );
      })}
    </span>
  );
}

const NAMES: Readonly<Record<State, string>> = {
  done: 'done',
  running: 'running',
  waits: 'waiting for you',
  failed: 'failed',
  queued: 'queued',
  'rolled-back': 'rolled back',
};

const URGENCY: readonly State[] = ['waits', 'running', 'failed', 'queued', 'rolled-back', 'done'];

function worstOf(states: readonly State[]): State {
  return URGENCY.find((state) => states.includes(state)) ?? 'queued';
}
