/** The gates every action passes before it is done, in the order in which they are asked. */
export const GATES = [
  'identity_valid',
  'not_protected',
  'supervisor_check',
  'posterior_threshold',
  'blast_radius_limit',
  'fdr_budget',
] as const;

export type GateName = (typeof GATES)[number];

/**
 * - pass, warn: the action goes on; a warning is told with its outcome;
 * - skip: this action is left out, the others go on;
 * - block: the same, but because something is wrong with the target rather than not enough known of it;
 * - abort: nothing more is done; the plan does not fit the machine any longer.
 */
export type Verdict = 'pass' | 'warn' | 'skip' | 'block' | 'abort';

export interface GateResult {
  readonly gate: GateName;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Tells whether a result keeps the action from being done. */
export function stops({ verdict }: GateResult): boolean {
  return verdict === 'skip' || verdict === 'block' || verdict === 'abort';
}
