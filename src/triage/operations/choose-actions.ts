import { Fault } from '../../base/fault.ts';
import type { Assessment } from '../assessment.ts';
import { EXEMPT } from '../gates/evaluate-gates.ts';
import { stageActions, type PlanDocument, type PlannedAction } from '../plan-document.ts';
import type { Session } from '../session/session.ts';

/** The actions of a plan that a caller selects. */
export interface Selection {
  readonly recommended: boolean;
  /** `1234` or `1234:<start_id>`; the plan's recommended action is used for each. */
  readonly targets?: readonly string[] | undefined;
}

/** Returns the selected actions: the preselected ones, or those of the passed targets. */
export function chooseActions(
  session: Session,
  plan: PlanDocument,
  { recommended, targets }: Selection,
): readonly PlannedAction[] {
  if (targets !== undefined && targets.length > 0) return chooseTargets(session.id, plan, targets);
  if (recommended) return plan.actions;
  throw new Fault('E_USAGE', 'No actions were selected.', {
    hint: 'Pass --recommended for all preselected actions, or processes with --targets.',
    details: { field: 'recommended', session_id: session.id },
  });
}

function chooseTargets(
  sessionId: string,
  plan: PlanDocument,
  targets: readonly string[],
): readonly PlannedAction[] {
  const assessments = targets.map((target) => findTarget(sessionId, plan, target));
  for (const { pid, exemption } of assessments) {
    if (exemption === null) continue;
    throw new Fault('E_PROTECTED', `Process ${pid} is protected: ${EXEMPT[exemption]}.`, {
      hint: 'Remove it from the targets. No action was taken.',
      details: { pid, exemption },
    });
  }
  const idle = assessments.find(
    ({ recommended_action }) => recommended_action === 'review' || recommended_action === 'spare',
  );
  if (idle !== undefined) {
    throw new Fault(
      'E_GATE_FAILED',
      `The plan recommends "${idle.recommended_action}" for process ${idle.pid}, which is not an action.`,
      {
        hint: `${idle.action_rationale} See: explain --session ${sessionId} ${idle.pid}.`,
        details: { pid: idle.pid, gate: 'posterior_threshold', recommended_action: idle.recommended_action },
      },
    );
  }
  return stageActions(assessments);
}

/** Finds one process of a plan by `pid` or `pid:start_id`. */
export function findTarget(sessionId: string, { judgement }: PlanDocument, target: string): Assessment {
  const [pidText = '', startId] = target.split(':');
  const pid = /^\d{1,10}$/u.test(pidText) ? Number(pidText) : Number.NaN;
  if (Number.isNaN(pid)) {
    throw new Fault('E_VALIDATION', `Invalid target: "${target.slice(0, 60)}".`, {
      hint: 'Use a pid, or pid:start_id as printed by plan.',
      details: { field: 'targets', value: target.slice(0, 60) },
    });
  }
  const found = judgement.assessments.find((assessment) => assessment.pid === pid);
  if (found === undefined) {
    throw new Fault('E_NOT_FOUND', `Triage session ${sessionId} has no assessment of process ${pid}.`, {
      hint: 'Only suspects are assessed. Use explain for other processes, or create a new plan.',
      details: { resource: 'process', pid, session_id: sessionId },
    });
  }
  if (startId !== undefined && startId !== found.start_id) {
    throw new Fault(
      'E_IDENTITY_MISMATCH',
      `Process ${pid} of triage session ${sessionId} has the start id ${found.start_id}, not ${startId}.`,
      {
        hint: 'Create a new plan. No action was taken.',
        details: { pid, expected_start_id: startId, actual_start_id: found.start_id },
      },
    );
  }
  return found;
}
