import type { Assessment } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import { presentPlan } from '../present/present-plan.ts';
import { openOutcomes } from '../session/outcomes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import type { Session } from '../session/session.ts';
import { classLegend, memoryChart, oddsChart, posteriorChart } from './charts.ts';
import { html, type Html } from './html.ts';
import { REPORT_STYLE } from './report-style.ts';

/** The maximum number of processes in a report. */
const SHOWN = 40;

export interface ReportRequest {
  readonly session: Session;
  readonly plan: PlanDocument;
  readonly generatedAt: string;
}

/** Renders a triage session as one self-contained HTML page without scripts. */
export function renderHtmlReport({ session, plan, generatedAt }: ReportRequest): string {
  const candidates = plan.judgement.assessments
    .filter(({ recommended_action }) => recommended_action !== 'spare')
    .slice(0, SHOWN);
  const entries = openOutcomes(session).entries();
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>Process triage of ${plan.host.host}, ${session.id}</title>
        <style>
          ${{ html: REPORT_STYLE }}
        </style>
      </head>
      <body>
        <h1>Process triage of ${plan.host.host}</h1>
        <p class="soft">
          Triage session <code>${session.id}</code>, ${session.readManifest().state}; snapshot of
          ${new Date(plan.host.takenAtMs).toISOString()} over ${plan.host.windowMs} ms; report generated at
          ${generatedAt}.
        </p>
        ${tiles(plan)} ${visibility(plan)} ${entries.length > 0 ? outcomes(entries, plan) : html``}
        <h2>Findings</h2>
        ${candidates.length === 0 ? html`<p>No process on this machine looks abandoned.</p>` : renderCandidates(candidates)}
        <h2>Evidence</h2>
        ${candidates.map(renderEvidence)}
        <p class="soft">
          Bars to the right are evidence for abandoned, bars to the left for useful; a kill is recommended
          only when the probability of abandoned or zombie is above ${plan.thresholds.kill} and the false
          discovery rate budget allows it.
        </p>
      </body>
    </html> `;
  return page.html;
}

function tiles(plan: PlanDocument): Html {
  const { summary } = presentPlan(plan, { limit: 0 }) as { summary: Record<string, number> };
  const tile = (value: string | number, name: string): Html =>
    html`<div class="tile"><b>${value}</b>${name}</div>`;
  return html`<div class="tiles">
    ${[
      tile(summary.total_scanned ?? 0, 'processes scanned'),
      tile(summary.candidates_found ?? 0, 'candidates'),
      tile(summary.kill_recommended ?? 0, 'to kill'),
      tile(summary.review_recommended ?? 0, 'to review'),
      tile(`${(summary.total_recoverable_mb ?? 0).toFixed(0)} MB`, 'recoverable memory'),
      tile(`${(plan.host.memory.availableBytes / 2 ** 30).toFixed(1)} GB`, 'memory available'),
    ]}
  </div>`;
}

function visibility({ host }: PlanDocument): Html {
  if (host.visibility.complete) return html``;
  return html`<p class="review">Some facts are not visible: ${host.visibility.notes.join('; ')}.</p>`;
}

function renderCandidates(candidates: readonly Assessment[]): Html {
  return html`${classLegend()}${posteriorChart(candidates)}
    <h2>Memory</h2>
    ${memoryChart(candidates)}
    <h2>Candidates</h2>
    <table>
      <thead>
        <tr>
          <th>Process</th>
          <th>Recommended</th>
          <th>Confidence</th>
          <th>Rationale</th>
        </tr>
      </thead>
      <tbody>
        ${candidates.map(
          (item) =>
            html`<tr>
              <td>
                ${item.cmd_short}<br /><span class="soft">pid ${item.pid}, uid ${item.uid ?? 'unknown'}</span>
              </td>
              <td><span class="badge ${item.recommended_action}">${item.recommended_action}</span></td>
              <td>${item.confidence}</td>
              <td>${item.action_rationale}<br /><span class="soft">${item.blast_radius.summary}</span></td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function renderEvidence(item: Assessment): Html {
  return html`<details>
    <summary>${item.cmd_short} <span class="soft">${item.pid}: ${item.classification}</span></summary>
    <p><code>${item.cmd_full}</code></p>
    ${oddsChart(item)}
  </details>`;
}

function outcomes(entries: readonly OutcomeEntry[], plan: PlanDocument): Html {
  const nameOf = ({ target }: OutcomeEntry): string =>
    plan.judgement.assessments.find(({ pid, start_id }) => pid === target.pid && start_id === target.start_id)
      ?.cmd_short ?? '';
  return html`<h2>Actions</h2>
    <table>
      <thead>
        <tr>
          <th>Process</th>
          <th>Action</th>
          <th>Outcome</th>
          <th>Reason</th>
          <th>Duration</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map(
          (entry) =>
            html`<tr>
              <td>${nameOf(entry)} <span class="soft">${entry.target.pid}</span></td>
              <td>${entry.action}</td>
              <td class="${entry.outcome === 'success' ? 'good' : 'review'}">
                ${entry.outcome ?? 'started'}
              </td>
              <td>${entry.reason}</td>
              <td class="number">${entry.durationMs} ms</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}
