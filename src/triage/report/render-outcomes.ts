import type { PlanDocument } from '../plan-document.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { html, type Html } from './html.ts';
import type { Measured } from './read-verification.ts';

/** Renders what was done, and what was measured afterwards. */
export function renderOutcomes(
  entries: readonly OutcomeEntry[],
  plan: PlanDocument,
  verified: Measured | undefined,
): Html {
  if (entries.length === 0) return html``;
  const rows = entries.map((entry) => {
    const { target, action, outcome, reason, durationMs } = entry;
    const isOf = (other: { pid: number; start_id: string }): boolean =>
      other.pid === target.pid && other.start_id === target.start_id;
    const name = plan.judgement.assessments.find(isOf)?.cmd_short ?? `process ${target.pid}`;
    const measured = verified?.action_outcomes.find((outcome) => isOf(outcome.target));
    return html`<li>
      <span class="badge ${outcome === 'success' ? 'good' : 'review'}">${outcome ?? 'started'}</span>
      <b>${action}</b> <code>${name}</code> <span class="soft">pid ${target.pid}, ${durationMs} ms</span>
      <p>${reason}</p>
      ${measured === undefined ? html`` : html`<p class="measured">Measured afterwards: ${measuredText(measured)}</p>`}
    </li>`;
  });
  return html`<section>
    <h2>Actions</h2>
    ${summaryOf(verified)}
    <ul class="outcomes">
      ${rows}
    </ul>
  </section>`;
}

function summaryOf(verified: Measured | undefined): Html {
  if (verified === undefined)
    return html`<p class="soft">The effect was not measured yet: <code>verify</code> measures it.</p>`;
  const { verification, resource_summary: freed } = verified;
  const shortfall =
    freed.shortfall_reason === undefined ? '' : ` (${freed.shortfall_reason.replace(/\.$/u, '')})`;
  return html`<p>
    Measured at ${verification.completed_at}: ${verification.confirmed} of ${verification.total} confirmed;
    ${freed.memory_freed_mb.toFixed(1)} MB freed of ${freed.expected_mb.toFixed(1)} MB expected${shortfall}.
  </p>`;
}

function measuredText({
  outcome,
  time_to_death_ms: time,
  resources_freed: freed,
}: Measured['action_outcomes'][number]): string {
  const after = time === undefined ? '' : ` after ${time} ms`;
  return `${outcome.replaceAll('_', ' ')}${after}, ${freed.memory_mb.toFixed(1)} MB freed`;
}
