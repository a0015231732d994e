import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { assess } from '../assess.ts';
import type { Judgement } from '../assessment.ts';
import { settleBet } from '../decision/alpha-investing.ts';
import { changeBudget } from '../gates/budget-file.ts';
import { isPreselected, stageActions, type PlanDocument } from '../plan-document.ts';
import { readOrphanTimes, saveOrphanTimes } from '../session/orphan-times.ts';
import type { TriageSession } from '../session/session.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import { holdersOf, requireScope, restrictTo, type PlanScope } from './plan-scope.ts';
import type { TriageContext } from './triage-context.ts';

/**
 * Returns the plan of a triage session: the stored plan, or a new plan that is computed from the stored snapshot and then stored.
 * A plan for one run or port is stored as such, so that no other processes can be acted on.
 */
export async function planSession(
  context: TriageContext,
  session: TriageSession,
  /** The snapshot of the session, if it was just taken; saves reading it back. */
  taken?: ProcessSnapshot,
  scope: PlanScope = {},
): Promise<PlanDocument> {
  const stored = session.read('plan.json');
  if (stored !== undefined) return requireScope(scope, stored);
  return session.exclusively(async () => {
    const earlier = session.read('plan.json');
    if (earlier !== undefined) return requireScope(scope, earlier);
    const snapshot = taken ?? session.require('snapshot.json');
    const plan = await computePlan(context, session, snapshot, scope);
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

async function computePlan(
  context: TriageContext,
  session: TriageSession,
  snapshot: ProcessSnapshot,
  scope: PlanScope,
): Promise<PlanDocument> {
  const { environment, parameters } = context;
  const { thresholds } = parameters;
  const {
    alpha = 0,
    owner,
    wealth = { amount: 0, refilledAtMs: environment.now() },
  } = session.readManifest();
  const { run, port, exclude } = scope;
  const runProcesses = snapshot.processes.filter(({ deep }) => run !== undefined && deep?.runId === run);
  if (run !== undefined && runProcesses.length === 0 && ownMember(snapshot.runs, run) === undefined)
    assertKnown(run, context);
  const recorded = readOrphanTimes(environment.dataRoot, snapshot);
  const all = assess(snapshot, parameters, {
    alpha,
    pids: [...runProcesses, ...holdersOf(snapshot, port)].map(({ pid }) => pid),
    exclude,
    feedback: context.steering.feedback,
    ...recorded,
    ...(owner !== undefined && { uid: owner }),
  });
  saveOrphanTimes(environment.dataRoot, snapshot, all, recorded);
  const judgement = restrictTo(all, snapshot, scope);
  // A plan without processes above the kill threshold invests no alpha, so that watching an idle machine does not use up the budget.
  const rejectable = judgement.assessments.filter(
    ({ posterior, exemption, grounds, vetoes }) =>
      exemption === null &&
      grounds?.found === true &&
      vetoes?.length === 0 &&
      posterior.abandoned + posterior.zombie > thresholds.kill,
  );
  if (rejectable.length > 0) {
    await changeBudget(environment.dataRoot, environment.now(), (budget) => ({
      ...budget,
      wealth: settleBet(budget.wealth, { alpha, exhausted: false }, countRejections(judgement, scope)),
    }));
  }
  const { host, bootId, bootTimeSeconds, ticksPerSecond, takenAtMs, windowMs, memory, visibility, observer } =
    snapshot;
  return {
    format: 'deed.triage.plan/1',
    session_id: session.id,
    ...(run !== undefined && { run }),
    ...(port !== undefined && { port }),
    ...(exclude !== undefined && exclude.length > 0 && { exclude }),
    alpha,
    thresholds,
    wealth,
    bet_placed: rejectable.length > 0,
    judgement,
    actions: stageActions(judgement.assessments.filter((each) => isPreselected(each, { thresholds, alpha }))),
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
  throw new Fault(
    'E_NOT_FOUND',
    `Unknown run: "${run.slice(0, 80)}". No process environment names it either.`,
    {
      hint: 'List the runs with "deed work list".',
      details: { resource: 'run', id: run.slice(0, 80) },
    },
  );
}

function countRejections({ eBh, assessments }: Judgement, { run, port }: PlanScope): number {
  return run === undefined && port === undefined
    ? eBh.rejections
    : assessments.filter(({ eBhRejected }) => eBhRejected).length;
}
