import { assess } from '../assess.ts';
import type { Assessment } from '../assessment.ts';
import type { PlanDocument, PlannedAction } from '../plan-document.ts';
import { readOrphanTimes } from '../session/orphan-times.ts';
import { requireAssessment } from './require-assessment.ts';
import { scan } from './snapshot-machine.ts';
import { resolveOwner, type TriageContext } from './triage-context.ts';

/** Returns the current assessment of a planned process; undefined when it is not running. */
export type FindCurrent = (planned: Assessment) => Assessment | undefined;

/**
 * Takes the sample of the plan again, one window for all targets, and assesses them with the same parameters. The
 * result includes all changes since the plan.
 */
export async function reassess(
  context: TriageContext,
  plan: PlanDocument,
  actions: readonly PlannedAction[],
  options: { readonly uid: number | undefined; readonly windowMs: number },
): Promise<FindCurrent> {
  const targets = actions.map((action) => requireAssessment(plan, action));
  if (targets.length === 0) return () => undefined;
  const { environment, parameters } = context;
  const snapshot = await scan(context, {
    ...options,
    deepPids: targets.flatMap(({ tree }) => tree.map(({ pid }) => pid)),
  });
  const { assessments } = assess(snapshot, parameters, {
    alpha: plan.alpha,
    pids: targets.map(({ pid }) => pid),
    uid: resolveOwner(environment, options.uid),
    exclude: plan.exclude,
    feedback: context.steering.feedback,
    ...readOrphanTimes(environment.dataRoot, snapshot),
  });
  const known = new Map(assessments.map((each) => [`${each.pid}:${each.startTicks}`, each]));
  return ({ pid, startTicks }) => known.get(`${pid}:${startTicks}`);
}

/** Combines two assessments of a process: the vetoes of both apply, and grounds must be in both. */
export function withLatest(
  current: Assessment | undefined,
  latest: Assessment | undefined,
): Assessment | undefined {
  if (current === undefined || latest === undefined) return undefined;
  return {
    ...current,
    ...(latest.grounds?.found !== true && latest.grounds !== undefined && { grounds: latest.grounds }),
    vetoes: [
      ...(current.vetoes ?? []),
      ...(latest.vetoes ?? []).filter(
        ({ reason }) => !current.vetoes?.some((veto) => veto.reason === reason),
      ),
    ],
    tree: latest.tree,
  };
}
