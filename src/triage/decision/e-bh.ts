export interface EBhResult {
  readonly alpha: number;
  readonly m: number;
  /** The number of rejected hypotheses. */
  readonly rejections: number;
  /** The smallest e-value that is rejected; null without rejections. */
  readonly threshold: number | null;
}

/**
 * e-BH: the largest k whose k-th largest e-value reaches m/(αk). `m` counts every eligible process, not only the suspects, because
 * testing only preselected hypotheses inflates the false discovery rate. It is valid for any dependence between processes.
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
