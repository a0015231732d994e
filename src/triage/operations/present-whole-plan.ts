import type { Action } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import { chooseCandidates, presentPlan, scannedAt } from '../present/present-plan.ts';
import type { Prose } from '../prose/styles.ts';
import type { ProseStyle } from '../prose/write-prose.ts';
import type { TriageSession } from '../session/session.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import type { ExpandedBody, PlanBody } from '../triage-results.ts';
import type { PlanDifference } from './diff-snapshots.ts';
import type { PlanScope } from './plan-scope.ts';
import type { SnapshotRequest } from './snapshot-machine.ts';
import type { TriageContext } from './triage-context.ts';

/** Optional parts of the output. */
export interface Expansions {
  readonly verbose?: boolean;
  readonly includeProse?: boolean;
  readonly proseStyle?: ProseStyle | undefined;
  readonly galaxyBrain?: boolean;
  readonly includeRaw?: boolean;
  readonly includeLedger?: boolean;
}

export interface PlanRequest extends SnapshotRequest, PlanScope, Expansions {
  /** Uses the stored snapshot and plan of this triage session. */
  readonly session?: string | undefined;
  /** Shows only candidates that are new or assessed differently since this triage session. */
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
  readonly only?: readonly Action[] | undefined;
}

export const DEFAULT_LIMIT = 50;

/** Renders a plan with the requested expansions. */
export async function presentWholePlan(
  context: TriageContext,
  session: TriageSession,
  plan: PlanDocument,
  request: PlanRequest,
  difference: PlanDifference | undefined,
): Promise<PlanBody> {
  const snapshot = request.includeRaw || request.includeProse ? session.require('snapshot.json') : undefined;
  const limit = request.limit ?? DEFAULT_LIMIT;
  const view = {
    verbose: request.verbose ?? false,
    ledger: request.includeLedger ?? false,
    raw: request.includeRaw ? snapshot : undefined,
    limit,
    only: request.only,
    among: difference?.isNews,
  };
  const shown = chooseCandidates(plan, view).slice(0, limit);
  return {
    ...presentPlan(plan, view),
    ...(difference && { since: difference.summary }),
    ...(request.verbose && {
      scan: {
        scanned_at: scannedAt(plan),
        window_ms: plan.host.windowMs,
        parameters_version: plan.judgement.parametersVersion,
        eligible: plan.judgement.eligible,
        exempt: plan.judgement.exempt,
        e_bh: plan.judgement.eBh,
      },
    }),
    ...(request.includeProse &&
      snapshot && { prose_summary: await prose(plan, snapshot, request.proseStyle) }),
    ...(request.galaxyBrain && { galaxy_brain: await galaxyBrain(context, plan, shown) }),
  };
}

export async function prose(
  plan: PlanDocument,
  snapshot: ProcessSnapshot,
  style: ProseStyle | undefined,
): Promise<Prose> {
  const { writeProse } = await import('../prose/write-prose.ts');
  return writeProse(plan.judgement, snapshot, style ?? 'conversational');
}

/** Returns the derivations of the shown candidates as cards. */
export async function galaxyBrain(
  { parameters }: TriageContext,
  plan: PlanDocument,
  shown: PlanDocument['judgement']['assessments'],
): Promise<NonNullable<ExpandedBody['galaxy_brain']>> {
  const { buildCards } = await import('../cards/build-cards.ts');
  // A bet that was not placed costs nothing.
  const bet = { alpha: plan.bet_placed ? plan.alpha : 0, exhausted: plan.alpha === 0 };
  const cards = shown.flatMap((assessment) =>
    buildCards({ assessment, judgement: plan.judgement, parameters, wealth: plan.wealth, bet }).map(
      (card) => ({
        ...card,
        pid: assessment.pid,
      }),
    ),
  );
  return { enabled: true, cards };
}
