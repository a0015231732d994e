import { isoTime } from '../../base/clock.ts';
import type { Action, Assessment } from '../assessment.ts';
import { GATES } from '../gates/gate.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { PlanCore, VisibilityReport } from '../triage-results.ts';
import { presentCandidate, type CandidateView } from './present-candidate.ts';

export interface PlanView extends CandidateView {
  readonly limit: number;
  readonly only?: readonly Action[] | undefined;
  /** Shows only candidates for which this returns true; used to compare with an earlier triage session. */
  readonly among?: ((assessment: Assessment) => boolean) | undefined;
}

/** Converts a plan to output: counts, the requested candidates, and the recommended actions. */
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

/** Returns the candidates to show: by default all except spared ones. A plan for a port also shows those: the caller asked about them. */
export function chooseCandidates(
  { judgement, port }: PlanDocument,
  { only, among }: Pick<PlanView, 'only' | 'among'>,
): readonly Assessment[] {
  const isSelected = (assessment: Assessment): boolean =>
    only === undefined
      ? port !== undefined || isCandidate(assessment)
      : only.includes(assessment.recommended_action);
  return judgement.assessments.filter(
    (assessment) => isSelected(assessment) && (among?.(assessment) ?? true),
  );
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
  const selected = plan.actions.flatMap(({ target }) =>
    plan.judgement.assessments.filter(
      ({ pid, start_id }) => pid === target.pid && start_id === target.start_id,
    ),
  );
  const kills = outermost(selected.filter(({ recommended_action }) => recommended_action === 'kill'));
  return {
    preselected_pids: plan.actions.map(({ target }) => target.pid),
    actions: plan.actions.map(({ target, action, stage }) => ({
      target: { ...target },
      action,
      stage,
      gates: GATES,
    })),
    total_actions: plan.actions.length,
    estimated_recovery_mb: sum(kills.map(({ blast_radius }) => blast_radius.memory_mb)),
  };
}

/** Omits processes inside the tree of another one, so that nothing is counted twice. */
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

/** Returns the time of the snapshot. */
export function scannedAt({ host }: PlanDocument): string {
  return isoTime(host.takenAtMs);
}

function sum(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0) * 100) / 100;
}
