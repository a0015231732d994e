import { Fault } from '../../base/fault.ts';
import { assess } from '../assess.ts';
import type { Assessment, Judgement } from '../assessment.ts';
import { settleBet } from '../decision/alpha-investing.ts';
import { changeBudget } from '../gates/budget-file.ts';
import { isPreselected, stageActions, type PlanDocument } from '../plan-document.ts';
import { readLossTimes, rememberLook } from '../session/loss-memory.ts';
import type { Session } from '../session/session.ts';
import type { Snapshot } from '../process-snapshot.ts';
import type { TriageContext } from './triage-context.ts';

/**
 * Gives the plan of a session: the stored one when there is one, so that everybody who asks gets the same, else it is computed from
 * the stored snapshot and kept. Nothing is looked at anew. A plan about one run is kept as such, so that nothing else can be applied of it.
 */
export async function planSession(
  context: TriageContext,
  session: Session,
  /** The session's own snapshot, when it was just taken: reading back what was written a moment ago would double the cost. */
  taken?: Snapshot,
  run?: string,
): Promise<PlanDocument> {
  const stored = session.read('plan.json');
  if (stored !== undefined) return about(run, stored);
  return session.exclusively(async () => {
    const earlier = session.read('plan.json');
    if (earlier !== undefined) return about(run, earlier);
    const snapshot = taken ?? session.require('snapshot.json');
    const plan = await computePlan(context, session, snapshot, run);
    session.write('plan.json', plan);
    session.advance('planned');
    session.audit('plan.made', {
      candidates: plan.judgement.assessments.length,
      actions: plan.actions.length,
      parameters: plan.judgement.parametersVersion,
    });
    return plan;
  });
}

/** Somebody who asks about one run must not be shown a part of a plan that would be applied whole. */
function about(run: string | undefined, plan: PlanDocument): PlanDocument {
  if (run === undefined || plan.run === run) return plan;
  throw new Fault(
    'E_CONFLICT',
    `Session ${plan.session_id} has a plan already, and it is ${plan.run === undefined ? 'not about one run' : `about run ${plan.run}`}.`,
    {
      hint: `Leave out --session: a fresh plan can be about run ${run} alone.`,
      details: { session_id: plan.session_id, run },
    },
  );
}

async function computePlan(
  context: TriageContext,
  session: Session,
  snapshot: Snapshot,
  run: string | undefined,
): Promise<PlanDocument> {
  const { environment, parameters } = context;
  const {
    alpha = 0,
    owner,
    wealth = { amount: 0, refilledAtMs: environment.now() },
  } = session.readManifest();
  const ofRun = snapshot.processes.filter(({ deep }) => run !== undefined && deep?.runId === run);
  if (run !== undefined && ofRun.length === 0 && snapshot.runs?.[run] === undefined)
    assertKnown(run, context);
  const whole = assess(snapshot, parameters, {
    alpha,
    pids: ofRun.map(({ pid }) => pid),
    lostSince: readLossTimes(environment.dataRoot, snapshot),
    ...(owner !== undefined && { uid: owner }),
  });
  rememberLook(environment.dataRoot, snapshot, whole);
  const judgement = run === undefined ? whole : restrict(whole, run);
  // A plan that puts nobody up for rejection makes no bet; a quiet machine that is watched all day must not go broke by it.
  const upForRejection = judgement.assessments.filter(
    ({ posterior, exemption }) =>
      exemption === null && posterior.abandoned + posterior.zombie > parameters.thresholds.kill,
  );
  if (upForRejection.length > 0) {
    await changeBudget(environment.dataRoot, environment.now(), (budget) => ({
      ...budget,
      wealth: settleBet(budget.wealth, { alpha, exhausted: false }, countRejections(judgement, run)),
    }));
  }
  const { host, bootId, bootTimeSeconds, ticksPerSecond, takenAtMs, windowMs, memory, visibility, observer } =
    snapshot;
  return {
    format: 'deed.triage.plan/1',
    session_id: session.id,
    ...(run !== undefined && { run }),
    alpha,
    thresholds: parameters.thresholds,
    wealth,
    bet_placed: upForRejection.length > 0,
    judgement,
    actions: stageActions(judgement.assessments.filter(isPreselected)),
    host: {
      host,
      bootId,
      bootTimeSeconds,
      ticksPerSecond,
      takenAtMs,
      windowMs,
      memory,
      visibility,
      observer,
    },
  };
}

function assertKnown(run: string, { environment }: TriageContext): void {
  if (environment.lookUpRun?.(run) !== undefined) return;
  throw new Fault('E_NOT_FOUND', `There is no run "${run.slice(0, 80)}", and no process carries its mark.`, {
    hint: '"deed work list" shows the runs there are.',
    details: { resource: 'run', id: run.slice(0, 80) },
  });
}

/** The judgement over everything stays what it was; only what is shown and done is of one run. */
function restrict(judgement: Judgement, run: string): Judgement {
  const isOfRun = ({ observation }: Assessment): boolean => observation.origin?.run?.id === run;
  return { ...judgement, assessments: judgement.assessments.filter(isOfRun) };
}

function countRejections({ eBh, assessments }: Judgement, run: string | undefined): number {
  return run === undefined ? eBh.rejections : assessments.filter(({ eBhRejected }) => eBhRejected).length;
}
