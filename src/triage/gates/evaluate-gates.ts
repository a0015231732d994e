import type { Action, Assessment } from '../assessment.ts';
import type { ApplyPolicy } from './apply-policy.ts';
import { stops, type GateName, type GateResult, type Verdict } from './gate.ts';

/** The input of the gates: the planned assessment of a process, and its current state. */
export interface GateFacts {
  readonly action: Action;
  readonly planned: Assessment;
  readonly identity:
    | { readonly kind: 'pinned' }
    | { readonly kind: 'gone' }
    | { readonly kind: 'changed'; readonly difference: string };
  /** Whether this apply has already executed an action. Before that, a changed target means that the whole plan is stale. */
  readonly started: boolean;
  /** Why the process must not be acted on in its current state; undefined when it may be. */
  readonly protection: string | undefined;
  /** What this apply has done so far. */
  readonly spent: { readonly memoryMb: number; readonly kills: number };
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
  not_protected: ({ planned, protection }) => {
    const reason = protection ?? (planned.exemption === null ? undefined : EXEMPT[planned.exemption]);
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
    const { posterior } = planned;
    if (requireKnownSignature && planned.matched_signature === null)
      return skip('It matches no known signature, but one is required.');
    if (planned.infeasible[action] !== undefined) return skip(`Not possible: ${planned.infeasible[action]}.`);
    const [name, share, threshold] =
      action === 'kill'
        ? (['P(abandoned or zombie)', posterior.abandoned + posterior.zombie, thresholds.kill] as const)
        : (['P(not useful)', 1 - posterior.useful, thresholds.review] as const);
    const needed = Math.max(threshold, minPosterior);
    if (!(share > needed)) return skip(`${name} is ${share.toFixed(4)}, which is not above ${needed}.`);
    if (action === 'kill' && planned.conformal.blocksAutomation)
      return skip('The conformal set contains "useful"; a person must decide.');
    return pass(`${name} is ${share.toFixed(4)}, above ${needed}.`);
  },
  blast_radius_limit: ({ action, planned: { blast_radius }, spent }, { maxBlastRadiusMb }) => {
    if (action === 'kill' && blast_radius.risk_level === 'critical')
      return skip(`The risk is critical: ${blast_radius.summary}`);
    if (maxBlastRadiusMb === undefined) return pass('No limit was set.');
    const total = spent.memoryMb + blast_radius.memory_mb;
    if (total < maxBlastRadiusMb) return pass(`${megabytes(total)} of ${megabytes(maxBlastRadiusMb)}.`);
    return skip(`The total would be ${megabytes(total)}; the limit is ${megabytes(maxBlastRadiusMb)}.`);
  },
  fdr_budget: ({ action, planned, spent, budget }, { maxKills }) => {
    if (action !== 'kill') return pass('Not a kill.');
    if (maxKills !== undefined && spent.kills >= maxKills)
      return skip(`Budget exhausted: ${maxKills} of ${maxKills} kills are done.`);
    if (budget.killsLeft <= 0) return skip('Budget exhausted: no kills are left for the last 24 hours.');
    if (planned.eBhRejected) return pass(`Within the false discovery rate budget at level ${budget.alpha}.`);
    return skip(
      `Budget exhausted: the e-value ${planned.eValue.toPrecision(3)} is not significant at level ${budget.alpha}.`,
    );
  },
};

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
  other_user: 'it belongs to another user',
  own_session: 'it is in the terminal session of this process',
  young: 'it started during the sampling window',
};

function megabytes(value: number): string {
  return `${Math.round(value * 10) / 10} MB`;
}
