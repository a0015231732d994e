import { isoTime } from '../../base/clock.ts';
import type { Action, Assessment } from '../assessment.ts';
import { GATES } from '../gates/gate.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { PlanCore, VisibilityReport } from '../triage-results.ts';
import { presentCandidate, type CandidateView } from './present-candidate.ts';

export interface PlanView extends CandidateView {
  readonly limit: number;
  readonly only?: readonly Action[] | undefined;
  /** Shows only these; for a comparison with an earlier session. */
  readonly among?: ((assessment: Assessment) => boolean) | undefined;
}

/** Shows a plan: counts over all of it, the candidates that were asked for, and what is recommended. */
export function presentPlan(plan: PlanDocument, view: PlanView): PlanCore {
  const shown = chooseCandidates(plan, view);
  return {
    summary: summarize(plan),
    candidates: shown.slice(0, view.limit).map((assessment) => presentCandidate(assessment, view)),
    ...(shown.length > view.limit && { candidates_left_out: shown.length - view.limit }),
    recommended: presentRecommended(plan),
    ...(!plan.host.visibility.complete && { visibility: presentVisibility(plan) }),
  };
}

/** Those that somebody might act on, unless others are asked for. */
export function chooseCandidates(
  { judgement }: PlanDocument,
  { only, among }: Pick<PlanView, 'only' | 'among'>,
): readonly Assessment[] {
  const wanted = (assessment: Assessment): boolean =>
    only === undefined ? isCandidate(assessment) : only.includes(assessment.recommended_action);
  return judgement.assessments.filter((assessment) => wanted(assessment) && (among?.(assessment) ?? true));
}

function isCandidate({ recommended_action }: Assessment): boolean {
  return recommended_action !== 'spare';
}

function summarize({ judgement }: PlanDocument): PlanCore['summary'] {
  const { assessments } = judgement;
  const count = (action: Action): number =>
    assessments.filter(({ recommended_action }) => recommended_action === action).length;
  const kills = outermost(assessments.filter(({ recommended_action }) => recommended_action === 'kill'));
  return {
    total_scanned: judgement.scanned,
    candidates_found: assessments.filter(isCandidate).length,
    kill_recommended: count('kill'),
    review_recommended: count('review'),
    spare_count: judgement.scanned - assessments.filter(isCandidate).length,
    total_recoverable_mb: sum(kills.map(({ blast_radius }) => blast_radius.memory_mb)),
    total_recoverable_cpu_pct: sum(kills.map(({ blast_radius }) => blast_radius.cpu_pct)),
  };
}

function presentRecommended(plan: PlanDocument): PlanCore['recommended'] {
  const chosen = plan.actions.flatMap(({ target }) =>
    plan.judgement.assessments.filter(
      ({ pid, start_id }) => pid === target.pid && start_id === target.start_id,
    ),
  );
  const ending = outermost(chosen.filter(({ recommended_action }) => recommended_action === 'kill'));
  return {
    preselected_pids: plan.actions.map(({ target }) => target.pid),
    actions: plan.actions.map(({ target, action, stage }) => ({
      target: { ...target },
      action,
      stage,
      gates: GATES,
    })),
    total_actions: plan.actions.length,
    estimated_recovery_mb: sum(ending.map(({ blast_radius }) => blast_radius.memory_mb)),
  };
}

/** Leaves out what is inside the tree of another one, so that nothing is counted twice. */
function outermost(assessments: readonly Assessment[]): readonly Assessment[] {
  return assessments.filter(
    (inner) =>
      !assessments.some(
        (outer) =>
          outer !== inner &&
          outer.tree.some(({ pid, startTicks }) => pid === inner.pid && startTicks === inner.startTicks),
      ),
  );
}

export function presentVisibility({ host }: Pick<PlanDocument, 'host'>): VisibilityReport {
  const { complete, hidepid, unreadableProcesses, vanished, notes } = host.visibility;
  return { complete, hidepid, unreadable_processes: unreadableProcesses, vanished, notes };
}

/** When the machine was looked at. */
export function scannedAt({ host }: PlanDocument): string {
  return isoTime(host.takenAtMs);
}

function sum(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0) * 100) / 100;
}
