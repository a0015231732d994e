import { Fault } from '../../base/fault.ts';
import { assess } from '../assess.ts';
import type { Assessment } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import { presentCandidate } from '../present/present-candidate.ts';
import type { TriageSession } from '../session/session.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import type { ExplainBody } from '../triage-results.ts';
import { findTarget, parseTarget } from './choose-actions.ts';
import { planSession } from './plan-session.ts';
import { galaxyBrain, prose, type Expansions } from './present-whole-plan.ts';
import type { TriageContext } from './triage-context.ts';

export interface ExplainRequest extends Expansions {
  /** Without it, a new snapshot is taken. */
  readonly session?: string | undefined;
  /** `pid` or `pid:start_id`. */
  readonly targets: readonly string[];
}

export interface FeedbackRequest {
  readonly session?: string | undefined;
  /** `pid` or `pid:start_id`. */
  readonly target: string;
}

/** Returns the assessment of one process of a triage session. */
export async function assessTarget(
  context: TriageContext,
  session: TriageSession,
  target: string,
): Promise<Assessment> {
  const plan = await planSession(context, session);
  const extended = addTargets(context, plan, session.require('snapshot.json'), [target]);
  return findTarget(session.id, extended, target);
}

/** Explains the assessments of processes, from the snapshot of the triage session. */
export async function explainTargets(
  context: TriageContext,
  session: TriageSession,
  request: ExplainRequest,
): Promise<ExplainBody> {
  const plan = await planSession(context, session);
  const snapshot = session.require('snapshot.json');
  const extended = addTargets(context, plan, snapshot, request.targets);
  const found = request.targets.map((target) => findTarget(session.id, extended, target));
  const view = { verbose: true, ledger: true, raw: request.includeRaw ? snapshot : undefined };
  return {
    candidates: found.map((assessment) => presentCandidate(assessment, view)),
    ...(request.includeProse && {
      prose_summary: await prose(
        { ...extended, judgement: { ...extended.judgement, assessments: found } },
        snapshot,
        request.proseStyle,
      ),
    }),
    ...(request.galaxyBrain && { galaxy_brain: await galaxyBrain(context, extended, found) }),
  };
}

/** A plan contains only suspects; other requested processes are assessed from the same snapshot. */
function addTargets(
  context: TriageContext,
  plan: PlanDocument,
  snapshot: ProcessSnapshot,
  targets: readonly string[],
): PlanDocument {
  const known = new Set(plan.judgement.assessments.map(({ pid }) => pid));
  const others = targets.map((target) => parseTarget(target).pid).filter((pid) => !known.has(pid));
  if (others.length === 0) return plan;
  const gone = others.find((pid) => !snapshot.processes.some((process) => process.pid === pid));
  if (gone !== undefined) throw notInSnapshot(plan.session_id, gone);
  const judgement = assess(snapshot, context.parameters, {
    alpha: plan.alpha,
    pids: others,
    exclude: plan.exclude,
    feedback: context.steering.feedback,
  });
  return {
    ...plan,
    judgement: {
      ...plan.judgement,
      assessments: [
        ...plan.judgement.assessments,
        ...judgement.assessments.filter(({ pid }) => others.includes(pid)),
      ],
    },
  };
}

function notInSnapshot(sessionId: string, pid: number): Fault {
  return new Fault('E_NOT_FOUND', `The snapshot of triage session ${sessionId} has no process ${pid}.`, {
    hint: 'If it started later, take a new snapshot.',
    details: { resource: 'process', pid, session_id: sessionId },
  });
}
