import type { JSX } from 'preact';
import type { Evidence } from '../base/triage-plan.ts';
import { Empty } from './notice.tsx';

/** Evidence as bars: to the right for abandoned, to the left for in use. */
export function EvidenceBars({ evidence }: { readonly evidence: readonly Evidence[] }): JSX.Element {
  if (evidence.length === 0) return <Empty>No evidence for or against it.</Empty>;
  const largest = Math.max(...evidence.map(({ logOdds }) => Math.abs(logOdds)));
  return (
    <div class="evidence">
      <div class="evidence-axis muted" aria-hidden="true">
        <span />
        <span class="axis-ends">
          <span>in use</span>
          <span>abandoned</span>
        </span>
        <span />
      </div>
      <ul>
        {evidence.map(({ name, logOdds, words }) => (
          <li key={name}>
            <span class="clip" title={name}>
              {name}
            </span>
            <span class="evidence-bar" aria-hidden="true">
              <span
                class={logOdds > 0 ? 'for' : 'against'}
                style={{ width: `${(50 * Math.abs(logOdds)) / largest}%` }}
              />
            </span>
            <span class="evidence-words">
              <span class="number">
                {logOdds > 0 ? '+' : '−'}
                {Math.abs(logOdds).toFixed(2)}
              </span>{' '}
              <span class="muted">{words}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
