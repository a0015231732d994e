import { assess } from '../assess.ts';
import { settleBet } from '../decision/alpha-investing.ts';
import { changeBudget } from '../gates/budget-file.ts';
import { isPreselected, stageActions, type PlanDocument } from '../plan-document.ts';
import { readLossTimes, rememberLook } from '../session/loss-memory.ts';
import type { Session } from '../session/session.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Workshop } from './workshop.ts';

/**
 * Gives the plan of a session: the stored one when there is one, so that everybody who asks gets the same, else it is computed from
 * the stored snapshot and kept. Nothing is looked at anew.
 */
export async function planSession(
  workshop: Workshop,
  session: Session,
  /** The session's own snapshot, when it was just taken: reading back what was written a moment ago would double the cost. */
  taken?: Snapshot,
): Promise<PlanDocument> {
  const stored = session.read('plan.json');
  if (stored !== undefined) return stored;
  return session.exclusively(async () => {
    const earlier = session.read('plan.json');
    if (earlier !== undefined) return earlier;
    const snapshot = taken ?? session.require('snapshot.json');
    const plan = await computePlan(workshop, session, snapshot);
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

async function computePlan(workshop: Workshop, session: Session, snapshot: Snapshot): Promise<PlanDocument> {
  const { world, parameters } = workshop;
  const { alpha = 0, owner, wealth = { amount: 0, refilledAtMs: world.now() } } = session.readManifest();
  const judgement = assess(snapshot, parameters, {
    alpha,
    liveRuns: world.liveRuns?.() ?? null,
    lostSince: readLossTimes(world.dataRoot, snapshot),
    ...(owner !== undefined && { uid: owner }),
  });
  rememberLook(world.dataRoot, snapshot, judgement);
  // A plan that puts nobody up for rejection makes no bet; a quiet machine that is watched all day must not go broke by it.
  const upForRejection = judgement.assessments.filter(
    ({ posterior, exemption }) =>
      exemption === null && posterior.abandoned + posterior.zombie > parameters.thresholds.kill,
  );
  if (upForRejection.length > 0) {
    await changeBudget(world.dataRoot, world.now(), (budget) => ({
      ...budget,
      wealth: settleBet(budget.wealth, { alpha, exhausted: false }, judgement.eBh.rejections),
    }));
  }
  const { host, bootId, bootTimeSeconds, ticksPerSecond, takenAtMs, windowMs, memory, visibility, observer } =
    snapshot;
  return {
    format: 'deed.triage.plan/1',
    session_id: session.id,
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
