import type { Action, Assessment } from '../assessment.ts';
import { costOf, type Spent } from './spent.ts';
import { MAX_PLAN_AGE_MS, type ApplyPolicy } from './apply-policy.ts';
import { stops, type GateName, type GateResult, type Verdict } from './gate.ts';

/** The input of the gates: the planned assessment of a process, its current one, and its current state. */
export interface GateFacts {
  readonly action: Action;
  readonly planned: Assessment;
  /** The assessment right before the action; undefined when the process was not found. */
  readonly current: Assessment | undefined;
  /** The age of the plan; null for a resumed apply, which assesses everything again. */
  readonly planAgeMs: number | null;
  /** The command that creates a new plan. */
  readonly planCommand: string;
  readonly identity:
    | { readonly kind: 'pinned' }
    | { readonly kind: 'gone' }
    | { readonly kind: 'changed'; readonly difference: string };
  /** Whether this apply has already executed an action. Before that, a changed target means that the whole plan is stale. */
  readonly started: boolean;
  /** Why the process must not be acted on in its current state; undefined when it may be. */
  readonly protection: string | undefined;
  /** What this apply has done so far. */
  readonly spent: Spent;
  readonly budget: { readonly killsLeft: number; readonly alpha: number };
  readonly thresholds: { readonly kill: number; readonly review: number };
}

type Gate = (facts: GateFacts, policy: ApplyPolicy) => { verdict: Verdict; reason: string };

const pass = (reason: string): ReturnType<Gate> => ({ verdict: 'pass', reason });
const skip = (reason: string): ReturnType<Gate> => ({ verdict: 'skip', reason });

const RULES: Readonly<Record<GateName, Gate>> = {
  identity_valid: ({ identity, started, planned }) => {
    switch (identity.kind) {
      case 'pinned':
        return pass('Same pid, start time, owner and program as in the plan.');
      case 'gone':
        return skip(`Process ${planned.pid} has already exited.`);
      case 'changed':
        return {
          verdict: started ? 'block' : 'abort',
          reason: `Not the planned process: ${identity.difference}.`,
        };
    }
  },
  not_protected: ({ planned, current = planned, protection }) => {
    // A name may have been protected since the plan was made.
    const exemption = planned.exemption ?? (current.exemption === 'young' ? null : current.exemption);
    const reason = protection ?? (exemption === null ? undefined : EXEMPT[exemption]);
    return reason === undefined ? pass('Not protected.') : skip(`Protected: ${reason}.`);
  },
  supervisor_check: ({ action, planned: { supervisor } }) => {
    if (action !== 'kill' || !supervisor.detected) return pass('No supervisor would restart it.');
    const better = supervisor.supervisor_command ?? supervisor.recommended_action;
    return {
      verdict: 'warn',
      reason: `${supervisor.type} manages it and may restart it; prefer: ${better}.`,
    };
  },
  posterior_threshold: (facts, { minPosterior = 0, requireKnownSignature }) => {
    const { action, planned, thresholds } = facts;
    const current = assessmentToJudge(facts);
    const { posterior } = current;
    if (requireKnownSignature && planned.matched_signature === null)
      return skip('It matches no known signature, but one is required.');
    if (current.infeasible[action] !== undefined) return skip(`Not possible: ${current.infeasible[action]}.`);
    const [name, share, threshold] =
      action === 'kill'
        ? (['P(abandoned or zombie)', posterior.abandoned + posterior.zombie, thresholds.kill] as const)
        : (['P(not useful)', 1 - posterior.useful, thresholds.review] as const);
    const needed = Math.max(threshold, minPosterior);
    if (!(share > needed)) return skip(`${name} is ${share.toFixed(4)}, which is not above ${needed}.`);
    if (action === 'kill' && current.conformal.blocksAutomation)
      return skip('The conformal set contains "useful"; a person must decide.');
    return pass(`${name} is ${share.toFixed(4)}, above ${needed}.`);
  },
  blast_radius_limit: ({ action, planned, current = planned, spent }, { maxBlastRadiusMb }) => {
    const { blast_radius } = current;
    if (action === 'kill' && blast_radius.risk_level === 'critical')
      return skip(`The risk is critical: ${blast_radius.summary}`);
    if (maxBlastRadiusMb === undefined) return pass('No limit was set.');
    const total = spent.memoryMb + costOf(current, spent).memoryMb;
    if (total < maxBlastRadiusMb) return pass(`${megabytes(total)} of ${megabytes(maxBlastRadiusMb)}.`);
    return skip(`The total would be ${megabytes(total)}; the limit is ${megabytes(maxBlastRadiusMb)}.`);
  },
  fdr_budget: ({ action, planned, current = planned, spent, budget }, { maxKills }) => {
    if (action !== 'kill') return pass('Not a kill.');
    const { kills } = costOf(current, spent);
    if (maxKills !== undefined && spent.kills + kills > maxKills)
      return skip(
        `Budget exhausted: ${spent.kills} of ${maxKills} kills are done, and this would kill ${kills}.`,
      );
    if (budget.killsLeft <= 0) return skip('Budget exhausted: no kills are left for the last 24 hours.');
    if (planned.eBhRejected) return pass(`Within the false discovery rate budget at level ${budget.alpha}.`);
    return skip(
      `Budget exhausted: the e-value ${planned.eValue.toPrecision(3)} is not significant at level ${budget.alpha}.`,
    );
  },
  grounds: ({ current }) => {
    if (current?.grounds === undefined) return skip('No grounds: it could not be assessed again.');
    const { found, reason } = current.grounds;
    return found ? pass(`Grounds: ${reason}.`) : skip(`No grounds for an automatic action: ${reason}.`);
  },
  vetoes: ({ current }) => {
    const vetoes = current?.vetoes ?? [];
    return vetoes.length === 0
      ? pass('No veto applies.')
      : skip(`Vetoed: ${vetoes.map(({ reason }) => reason).join('; ')}.`);
  },
  plan_age: ({ planAgeMs, planCommand }, { maxPlanAgeMs = MAX_PLAN_AGE_MS }) => {
    if (planAgeMs === null) return pass('Assessed again.');
    if (planAgeMs <= maxPlanAgeMs) return pass(`The plan is ${minutes(planAgeMs)} old.`);
    return skip(
      `The plan is ${minutes(planAgeMs)} old; the limit is ${minutes(maxPlanAgeMs)}. Create a new one with: ${planCommand} (without --session).`,
    );
  },
};

/**
 * Returns the assessment whose odds are compared: the current one, or the one in the plan if the process has lost its grounds or has a veto now. The
 * gates for grounds and vetoes then stop the action with the right reason.
 */
function assessmentToJudge({ planned, current }: GateFacts): Assessment {
  return current?.grounds?.found === true && current.vetoes?.length === 0 ? current : planned;
}

/** Evaluates the gates in order, up to the first that stops the action. */
export function evaluateGates(facts: GateFacts, policy: ApplyPolicy): readonly GateResult[] {
  const results: GateResult[] = [];
  for (const [gate, rule] of Object.entries(RULES) as [GateName, Gate][]) {
    const result = { gate, ...rule(facts, policy) };
    results.push(result);
    if (stops(result)) break;
  }
  return results;
}

/** Descriptions of the exemptions. */
export const EXEMPT: Readonly<Record<NonNullable<Assessment['exemption']>, string>> = {
  itself: 'it is this process',
  ancestor: 'it is an ancestor of this process',
  init: 'it is the init process',
  kernel_thread: 'it is a kernel thread',
  protected_name: 'its name is on the protected list',
  excluded: 'it was excluded from the plan',
  other_user: 'it belongs to another user',
  own_session: 'it is in the terminal session of this process',
  young: 'it started during the sampling window',
};

function minutes(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${Math.round(milliseconds / 1000)} s`
    : `${Math.round(milliseconds / 60_000)} min`;
}

function megabytes(value: number): string {
  return `${Math.round(value * 10) / 10} MB`;
}
