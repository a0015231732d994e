import { Fault } from '../../base/fault.ts';
import type { Assessment } from '../assessment.ts';
import { EXEMPT } from '../gates/evaluate-gates.ts';
import { stageActions, type PlanDocument, type PlannedAction } from '../plan-document.ts';
import type { Session } from '../session/session.ts';

/** Which actions of a plan a caller wants. */
export interface Selection {
  readonly recommended: boolean;
  /** `1234` or `1234:<start_id>`; each with the action that the plan recommends for it. */
  readonly targets?: readonly string[] | undefined;
}

/** Chooses the actions to do: those selected in advance, or those of named targets. */
export function chooseActions(
  session: Session,
  plan: PlanDocument,
  { recommended, targets }: Selection,
): readonly PlannedAction[] {
  if (targets !== undefined && targets.length > 0) return chooseTargets(session.id, plan, targets);
  if (recommended) return plan.actions;
  throw new Fault('E_USAGE', 'Nothing was chosen to be done.', {
    hint: 'Add --recommended for everything that the plan selected, or name processes with --targets.',
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
      hint: 'Leave it out; nothing was done.',
      details: { pid, exemption },
    });
  }
  const idle = assessments.find(
    ({ recommended_action }) => recommended_action === 'review' || recommended_action === 'spare',
  );
  if (idle !== undefined) {
    throw new Fault(
      'E_GATE_FAILED',
      `The plan recommends "${idle.recommended_action}" for process ${idle.pid}, so there is nothing to do to it.`,
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
    throw new Fault('E_VALIDATION', `"${target.slice(0, 60)}" names no process.`, {
      hint: 'Give a pid, or pid:start_id as the plan shows them.',
      details: { field: 'targets', value: target.slice(0, 60) },
    });
  }
  const found = judgement.assessments.find((assessment) => assessment.pid === pid);
  if (found === undefined) {
    throw new Fault('E_NOT_FOUND', `Session ${sessionId} has no assessment of process ${pid}.`, {
      hint: 'Only suspects are assessed; ask about another one with explain, or make a fresh plan.',
      details: { resource: 'process', pid, session_id: sessionId },
    });
  }
  if (startId !== undefined && startId !== found.start_id) {
    throw new Fault(
      'E_IDENTITY_MISMATCH',
      `PID ${pid} of session ${sessionId} is not the process ${startId}.`,
      {
        hint: 'Make a fresh plan; nothing was done.',
        details: { pid, expected_start_id: startId, actual_start_id: found.start_id },
      },
    );
  }
  return found;
}
