/** The gates that every action must pass, in order of evaluation: the six gates of the contract, then the gates of deed. */
export const GATES = [
  'identity_valid',
  'not_protected',
  'supervisor_check',
  'posterior_threshold',
  'blast_radius_limit',
  'fdr_budget',
  'grounds',
  'vetoes',
  'plan_age',
] as const;

export type GateName = (typeof GATES)[number];

/**
 * - pass, warn: the action continues; a warning is added to its result;
 * - skip: this action is skipped, the others continue;
 * - block: like skip, but because the target changed, not because the evidence or budget is insufficient;
 * - abort: apply stops, because the plan is stale.
 */
export type Verdict = 'pass' | 'warn' | 'skip' | 'block' | 'abort';

export interface GateResult {
  readonly gate: GateName;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Returns whether a gate result stops the action. */
export function stops({ verdict }: GateResult): boolean {
  return verdict === 'skip' || verdict === 'block' || verdict === 'abort';
}
