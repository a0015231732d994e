import { CLASSES } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import { presentPlan } from '../present/present-plan.ts';
import { openOutcomes } from '../session/outcomes.ts';
import type { TriageSession } from '../session/session.ts';
import { groupFindings, type FindingGroup } from './group-findings.ts';
import { html, type Html } from './html.ts';
import { readVerification } from './read-verification.ts';
import { CLASS_NAMES, renderFinding } from './render-finding.ts';
import { renderOutcomes } from './render-outcomes.ts';
import { REPORT_STYLE } from './report-style.ts';

/** The maximum number of processes in a report. */
const SHOWN = 60;

export interface ReportRequest {
  readonly session: TriageSession;
  readonly plan: PlanDocument;
  readonly generatedAt: string;
}

/** Renders a triage session as one self-contained HTML page without scripts. */
export function renderHtmlReport({ session, plan, generatedAt }: ReportRequest): string {
  const all = plan.judgement.assessments.filter(({ recommended_action }) => recommended_action !== 'spare');
  const entries = openOutcomes(session).entries();
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
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
        ${tiles(plan)} ${visibility(plan)} ${renderOutcomes(entries, plan, readVerification(session))}
        <h2>Findings</h2>
        ${all.length === 0 ? html`<p>No process on this machine looks abandoned.</p>` : legend()}
        ${groupFindings(all.slice(0, SHOWN)).map(renderGroup)}
        ${all.length > SHOWN ? html`<p>${all.length - SHOWN} more findings are in the plan.</p>` : html``}
        <p class="soft">
          Bars to the right are evidence for abandoned, bars to the left for in use, in log odds. A kill is
          recommended only with grounds, without a veto, with a probability of abandoned above
          ${plan.thresholds.kill}, and within the budget of the plan.
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

function legend(): Html {
  const items = CLASSES.map((name) => html`<span><i class="${name}"></i>${CLASS_NAMES[name]}</span>`);
  return html`<div class="legend">${items}</div>`;
}

function renderGroup({ kind, owner, members, memoryMb }: FindingGroup): Html {
  return html`<section class="group">
    <h2>${kind} <span class="count">${members.length}</span></h2>
    <p class="soft">Owner: ${owner}. ${memoryMb.toFixed(0)} MB.</p>
    ${members.map(renderFinding)}
  </section>`;
}
