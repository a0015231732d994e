export interface EBhResult {
  readonly alpha: number;
  readonly m: number;
  /** How many hypotheses are rejected. */
  readonly rejections: number;
  /** The e-value from which on; nothing when none is rejected. */
  readonly threshold: number | null;
}

/**
 * e-BH: the largest k whose k-th largest e-value reaches m/(αk). `m` counts every process that could have been chosen, not only those that
 * look bad, for choosing first and testing afterwards is what makes false discoveries. It holds whatever the dependence between processes.
 */
export function eBh(eValues: readonly number[], m: number, alpha: number): EBhResult {
  const sorted = eValues.toSorted((a, b) => b - a);
  let rejections = 0;
  if (alpha > 0) {
    for (const [position, value] of sorted.entries()) {
      if (value >= m / (alpha * (position + 1))) rejections = position + 1;
    }
  }
  return { alpha, m, rejections, threshold: rejections === 0 ? null : m / (alpha * rejections) };
}
