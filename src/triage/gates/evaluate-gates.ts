import type { Action, Assessment } from '../assessment.ts';
import type { ApplyPolicy } from './apply-policy.ts';
import { stops, type GateName, type GateResult, type Verdict } from './gate.ts';

/** What the gates judge: the plan's word on a process, and what was found of it right now. */
export interface GateFacts {
  readonly action: Action;
  readonly planned: Assessment;
  readonly identity:
    | { readonly kind: 'pinned' }
    | { readonly kind: 'gone' }
    | { readonly kind: 'changed'; readonly difference: string };
  /** Whether an action of this run was done already: before that a changed target means that the whole plan is stale. */
  readonly begun: boolean;
  /** Why the process may not be touched as it is now; nothing when it may. */
  readonly protection: string | undefined;
  /** What this run did so far. */
  readonly spent: { readonly memoryMb: number; readonly kills: number };
  readonly budget: { readonly killsLeft: number; readonly alpha: number };
  readonly thresholds: { readonly kill: number; readonly review: number };
}

type Gate = (facts: GateFacts, policy: ApplyPolicy) => { verdict: Verdict; reason: string };

const pass = (reason: string): ReturnType<Gate> => ({ verdict: 'pass', reason });
const skip = (reason: string): ReturnType<Gate> => ({ verdict: 'skip', reason });

const RULES: Readonly<Record<GateName, Gate>> = {
  identity_valid: ({ identity, begun, planned }) => {
    switch (identity.kind) {
      case 'pinned':
        return pass('Same pid, start, owner and program as in the plan.');
      case 'gone':
        return skip(`Process ${planned.pid} has ended already.`);
      case 'changed':
        return {
          verdict: begun ? 'block' : 'abort',
          reason: `Not the planned process: ${identity.difference}.`,
        };
    }
  },
  not_protected: ({ planned, protection }) => {
    const reason = protection ?? (planned.exemption === null ? undefined : EXEMPT[planned.exemption]);
    return reason === undefined
      ? pass('Not on the list of protected processes.')
      : skip(`Protected: ${reason}.`);
  },
  supervisor_check: ({ action, planned: { supervisor } }) => {
    if (action !== 'kill' || !supervisor.detected) return pass('No supervisor would start it again.');
    const better = supervisor.supervisor_command ?? supervisor.recommended_action;
    return {
      verdict: 'warn',
      reason: `${supervisor.type} runs it and may start it again; better: ${better}.`,
    };
  },
  posterior_threshold: (facts, { minPosterior = 0, requireKnownSignature }) => {
    const { action, planned, thresholds } = facts;
    const { posterior } = planned;
    if (requireKnownSignature && planned.matched_signature === null)
      return skip('It matches no known signature, and one is required.');
    if (planned.infeasible[action] !== undefined) return skip(`Not possible: ${planned.infeasible[action]}.`);
    const [name, share, threshold] =
      action === 'kill'
        ? (['P(abandoned or zombie)', posterior.abandoned + posterior.zombie, thresholds.kill] as const)
        : (['P(not useful)', 1 - posterior.useful, thresholds.review] as const);
    const needed = Math.max(threshold, minPosterior);
    if (!(share > needed)) return skip(`${name} is ${share.toFixed(4)}, which is not above ${needed}.`);
    if (action === 'kill' && planned.conformal.blocksAutomation)
      return skip('The conformal set still holds "useful"; a person must decide.');
    return pass(`${name} is ${share.toFixed(4)}, above ${needed}.`);
  },
  blast_radius_limit: ({ action, planned: { blast_radius }, spent }, { maxBlastRadiusMb }) => {
    if (action === 'kill' && blast_radius.risk_level === 'critical')
      return skip(`The risk is critical: ${blast_radius.summary}`);
    if (maxBlastRadiusMb === undefined) return pass('No limit was set.');
    const total = spent.memoryMb + blast_radius.memory_mb;
    if (total < maxBlastRadiusMb) return pass(`${megabytes(total)} of ${megabytes(maxBlastRadiusMb)}.`);
    return skip(
      `It would bring the total to ${megabytes(total)}; the limit for the run is ${megabytes(maxBlastRadiusMb)}.`,
    );
  },
  fdr_budget: ({ action, planned, spent, budget }, { maxKills }) => {
    if (action !== 'kill') return pass('Nothing is ended.');
    if (maxKills !== undefined && spent.kills >= maxKills)
      return skip(`Budget exhausted: the ${maxKills} kills of this run are done.`);
    if (budget.killsLeft <= 0) return skip('Budget exhausted: no kills are left for today.');
    if (planned.eBhRejected) return pass(`Within the false discovery budget at level ${budget.alpha}.`);
    return skip(
      `Budget exhausted: the evidence (e = ${planned.eValue.toPrecision(3)}) does not pass at level ${budget.alpha}.`,
    );
  },
};

/** Asks the gates in their order, up to the first that stops the action. */
export function evaluateGates(facts: GateFacts, policy: ApplyPolicy): readonly GateResult[] {
  const results: GateResult[] = [];
  for (const [gate, rule] of Object.entries(RULES) as [GateName, Gate][]) {
    const result = { gate, ...rule(facts, policy) };
    results.push(result);
    if (stops(result)) break;
  }
  return results;
}

/** Why a process is exempt, in words. */
export const EXEMPT: Readonly<Record<NonNullable<Assessment['exemption']>, string>> = {
  itself: 'it is this very program',
  ancestor: 'this program runs below it',
  init: 'it is the first process of the machine',
  kernel_thread: 'it is part of the kernel',
  protected_name: 'its name is on the protected list',
  other_user: 'it belongs to another user',
  own_session: 'it belongs to the terminal this was started from',
  young: 'it is younger than the sampling window',
};

function megabytes(value: number): string {
  return `${Math.round(value * 10) / 10} MB`;
}
