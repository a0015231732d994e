import type { Parameters } from '../parameters/model-parameters.ts';

/** With none of n observed, the rate is at most 3/n at 95 % confidence. */
const RULE_OF_THREE = 3;

/** The smallest share among useful processes that `seen` of `total` observations support; without observations, no limit below one. */
export function supportedShare(seen: number, total: number): number {
  return total === 0 ? 1 : Math.min(1, Math.max(seen, RULE_OF_THREE) / total);
}

/**
 * The largest likelihood ratio against a process that the counts support: n/3 for n useful processes. It limits the evidence as a whole,
 * because several observations together cannot be rarer than what n processes can show.
 */
export function supportedRatio({ grounds }: Pick<Parameters, 'grounds'>): number {
  const { total } = grounds.counts.useful;
  return 1 / supportedShare(0, total);
}
