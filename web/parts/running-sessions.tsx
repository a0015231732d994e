import type { JSX } from 'preact';
import { formatCost, formatNumber, plural } from '../base/format.ts';
import { useRead } from '../base/use-read.ts';
import { Glyph } from './glyph.tsx';
import { Age } from './time.tsx';

const MAX_ROWS = 8;

/** The sessions of agents that a process works on. */
export function RunningSessions(): JSX.Element {
  const { data } = useRead(
    'agent sessions list',
    { status: 'running', limit: MAX_ROWS },
    ({ sessions }) => sessions.length > 0,
  );
  return (
    <>
      {(data?.items ?? []).map(({ id, task, agent, turns, tokens, cost_usd, updated_at }) => (
        <li key={id}>
          <a class="row" href={`/sessions?session=${id}`}>
            <Glyph state="running" />
            <span class="row-title">{task ?? id}</span>
            <span class="row-side">
              <span class="number">{formatCost(cost_usd)}</span>
              <Age at={updated_at} />
            </span>
            <span class="row-line muted">
              {agent ?? 'agent'} · {plural(turns, 'turn')} · {formatNumber(tokens)} tokens
            </span>
          </a>
        </li>
      ))}
    </>
  );
}
