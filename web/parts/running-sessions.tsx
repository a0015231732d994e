import type { JSX } from 'preact';
import { formatCost, formatNumber, plural } from '../base/format.ts';
import { lastSessionLine } from '../base/last-session-line.ts';
import { plainOutput } from '../base/plain-output.ts';
import type { ItemOf } from '../base/use-pages.ts';
import { useRead } from '../base/use-read.ts';
import { Glyph } from './glyph.tsx';
import { SessionLimits } from './session-limits.tsx';
import { Elapsed } from './time.tsx';

type SessionRow = ItemOf<'agent sessions list'>;

const MAX_ROWS = 8;

/** The sessions of agents that a process works on; undefined until they are known. */
export function useRunningSessions(): readonly SessionRow[] | undefined {
  const { data, error } = useRead(
    'agent sessions list',
    { status: 'running', limit: MAX_ROWS },
    ({ sessions }) => sessions.length > 0,
  );
  return data?.items ?? (error === undefined ? undefined : []);
}

/** A session as a row, with the last thing that its agent did. */
export function RunningSession({ session }: { readonly session: SessionRow }): JSX.Element {
  const { id, task, agent, turns, tokens, cost_usd } = session;
  const { data } = useRead('agent sessions show', { id }, ({ sessions }) => sessions.includes(id));
  return (
    <li>
      <a class="row job" href={`/sessions?session=${id}`}>
        <Glyph state="running" />
        <span class="row-title">{task ?? id}</span>
        <span class="row-side">
          <span>
            {agent ?? 'agent'} · {plural(turns, 'turn')} · {formatNumber(tokens)} tokens
          </span>
          <span class="number">{formatCost(cost_usd)}</span>
          {data !== undefined && <Elapsed from={data.created_at} />}
        </span>
        <span class="row-line mono" aria-live="off">
          {plainOutput(lastSessionLine(data?.conversation ?? []) ?? ' ')}
        </span>
      </a>
      {data !== undefined && (
        <div class="row-meter">
          <SessionLimits session={data} />
        </div>
      )}
    </li>
  );
}
