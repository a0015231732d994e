import type { Assessment, LedgerTerm } from '../assessment.ts';
import { html, type Html } from './html.ts';

/** Renders what each ledger entry adds to the log odds of abandoned against useful, as bars to both sides; the last one is the sum. */
export function evidenceBars({ ledger }: Assessment): Html {
  const lines = ledger
    .filter(({ term, logOdds }) => term !== 'evidence' && Number.isFinite(logOdds) && logOdds !== 0)
    .map((line) => ({ name: nameOf(line), value: line.logOdds, sum: false }));
  const total = lines.reduce((sum, { value }) => sum + value, 0);
  const rows = [...lines, { name: 'Sum', value: total, sum: true }];
  const reach = Math.max(1, ...rows.map(({ value }) => Math.abs(value)));
  const bars = rows.map(({ name, value, sum }) => {
    const width = ((Math.abs(value) / reach) * 50).toFixed(1);
    const side = value < 0 ? 'left' : 'right';
    return html`<li class="${sum ? 'bar sum' : 'bar'}">
      <span class="name">${name}</span>
      <span class="track"><i class="${side}" style="width:${width}%"></i></span>
      <span class="value">${signed(value)}</span>
    </li>`;
  });
  return html`<ul class="bars" aria-label="Evidence for abandoned (right) and for in use (left)">
    <li class="bar head">
      <span class="name"></span><span class="track"><em>in use</em><em>abandoned</em></span
      ><span class="value"></span>
    </li>
    ${bars}
  </ul>`;
}

const TERMS: Readonly<Record<LedgerTerm['term'], string>> = {
  prior: 'Before any evidence',
  state: 'State',
  grounds: 'Grounds and vetoes',
  lifeline: 'Owner and streams',
  signature: 'Program',
  activity: 'Activity',
  loss_age: 'Time without owner',
  network: 'Connections',
  writes: 'Files',
  limit: 'Limit',
  evidence: 'Normalization',
};

function nameOf({ term, cell }: LedgerTerm): string {
  const words = cell.replaceAll('_', ' ').replaceAll('/', ', ');
  return term === 'prior' ? TERMS.prior : `${TERMS[term]}: ${words}`;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
}
