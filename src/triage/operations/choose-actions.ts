import { Fault } from '../../base/fault.ts';
import type { Assessment, Exemption } from '../assessment.ts';
import { createExemption } from '../decision/exemption.ts';
import type { GateName } from '../gates/gate.ts';
import { EXEMPT } from '../gates/evaluate-gates.ts';
import { stageActions, type PlanDocument, type PlannedAction } from '../plan-document.ts';
import type { TriageSession } from '../session/session.ts';
import type { TriageContext } from './triage-context.ts';

/** The actions of a plan that a caller selects. */
export interface ActionSelection {
  readonly recommended: boolean;
  /** `1234` or `1234:<start_id>`; the plan's recommended action is used for each. */
  readonly targets?: readonly string[] | undefined;
}

/** Returns the selected actions: the preselected actions, or the actions for the passed targets. */
export function chooseActions(
  context: TriageContext,
  session: TriageSession,
  plan: PlanDocument,
  { recommended, targets }: ActionSelection,
): readonly PlannedAction[] {
  if (targets !== undefined && targets.length > 0) return chooseTargets(context, session, plan, targets);
  if (recommended) return plan.actions;
  throw new Fault('E_USAGE', 'No actions were selected.', {
    hint: 'Pass --recommended for all preselected actions, or processes with --targets.',
    details: { field: 'recommended', session_id: session.id },
  });
}

function chooseTargets(
  context: TriageContext,
  session: TriageSession,
  plan: PlanDocument,
  targets: readonly string[],
): readonly PlannedAction[] {
  const sessionId = session.id;
  const assessments = targets.map((target) => {
    assertNotProtected(context, session, plan, target);
    return findTarget(sessionId, plan, target);
  });
  for (const { pid, exemption } of assessments)
    if (exemption !== null) throw protectedProcess(pid, exemption);
  const idle = assessments.find(
    ({ recommended_action }) => recommended_action === 'review' || recommended_action === 'spare',
  );
  if (idle !== undefined) {
    throw new Fault(
      'E_GATE_FAILED',
      `The plan recommends "${idle.recommended_action}" for process ${idle.pid}, which is not an action.`,
      {
        hint: `${idle.action_rationale}. See: explain --session ${sessionId} ${idle.pid}.`,
        details: { pid: idle.pid, gate: gateOf(idle), recommended_action: idle.recommended_action },
      },
    );
  }
  return stageActions(assessments);
}

/** A protected process is usually no suspect, so the plan has no assessment of it. */
function assertNotProtected(
  { parameters }: TriageContext,
  session: TriageSession,
  { judgement, host, exclude }: PlanDocument,
  target: string,
): void {
  const { pid } = parseTarget(target);
  if (judgement.assessments.some((assessment) => assessment.pid === pid)) return;
  const snapshot = session.read('snapshot.json');
  const process = snapshot?.processes.find((each) => each.pid === pid);
  if (snapshot === undefined || process === undefined) return;
  const exemption = createExemption(snapshot, parameters, {
    uid: session.readManifest().owner ?? host.observer.uid,
    exclude,
  })(process);
  if (exemption !== null && exemption !== 'young') throw protectedProcess(pid, exemption);
}

function protectedProcess(pid: number, exemption: Exemption): Fault {
  return new Fault('E_PROTECTED', `Process ${pid} is protected: ${EXEMPT[exemption]}.`, {
    hint: 'Remove it from the targets. No action was taken.',
    details: { pid, exemption },
  });
}

/** Returns the gate that an action on a process would fail at. */
function gateOf({ grounds, vetoes = [] }: Assessment): GateName {
  if (grounds?.found === false) return 'grounds';
  return vetoes.length > 0 ? 'vetoes' : 'posterior_threshold';
}

/** Parses `pid` or `pid:start_id`; anything else is not a process, even if it starts with a number. */
export function parseTarget(target: string): {
  readonly pid: number;
  readonly startId: string | undefined;
} {
  const [pidText = '', startId] = target.split(':');
  if (/^[1-9]\d{0,9}$/u.test(pidText)) return { pid: Number(pidText), startId };
  throw new Fault('E_VALIDATION', `Invalid target: "${target.slice(0, 60)}".`, {
    hint: 'Use a pid, or pid:start_id as printed by plan.',
    details: { field: 'targets', value: target.slice(0, 60) },
  });
}

/** Finds one process of a plan by `pid` or `pid:start_id`. */
export function findTarget(sessionId: string, { judgement }: PlanDocument, target: string): Assessment {
  const { pid, startId } = parseTarget(target);
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
