import type { JSX } from 'preact';
import { formatCost, formatNumber, plural } from '../base/format.ts';
import { useCostToday } from '../base/use-cost-today.ts';
import { Empty, Failure, Loading } from './notice.tsx';
import { Panel } from './panel.tsx';

/** What agents have spent today. */
export function CostPanel(): JSX.Element {
  const { data: cost, error } = useCostToday();
  return (
    <Panel title="Cost today" command="deed agent costs">
      {error !== undefined && <Failure error={error} />}
      {cost === undefined && error === undefined && <Loading />}
      {cost !== undefined && cost.requests + cost.runs === 0 && (
        <Empty>No agent has spent anything today.</Empty>
      )}
      {cost !== undefined && cost.requests + cost.runs > 0 && (
        <a class="figure-row" href="/sessions">
          <span class="large number">{formatCost(cost.cost_usd)}</span>
          <span class="muted">
            {plural(cost.requests, 'request')}
            {cost.runs > 0 && `, ${plural(cost.runs, 'run')}`},{' '}
            {formatNumber(cost.tokens.input + cost.tokens.output)} tokens
            {cost.unpriced > 0 && `; ${cost.unpriced} without a known price`}
          </span>
        </a>
      )}
    </Panel>
  );
}
