import type { JSX } from 'preact';
import { formatCost, formatNumber, plural } from '../base/format.ts';
import { useCostToday } from '../base/use-cost-today.ts';
import { Empty } from './notice.tsx';
import { Panel } from './panel.tsx';

/** What the sessions of agents have cost today. */
export function CostPanel(): JSX.Element {
  const cost = useCostToday();
  return (
    <Panel title="Cost today" command="deed agent sessions list">
      {cost === undefined || cost.sessions === 0 ? (
        <Empty>No session of an agent has changed today.</Empty>
      ) : (
        <a class="figure-row" href="/sessions">
          <span class="large number">{formatCost(cost.costUsd)}</span>
          <span class="muted">
            {plural(cost.sessions, 'session')}, {formatNumber(cost.tokens)} tokens
          </span>
        </a>
      )}
    </Panel>
  );
}
