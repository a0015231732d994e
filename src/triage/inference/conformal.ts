import { CLASSES, type ByClass, type ConformalResult, type ProcessClass } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { byClass } from './posterior.ts';

/** A labelled process: the posterior of its true class. */
export interface Label {
  readonly class: ProcessClass;
  readonly posterior: number;
}

/**
 * Creates a function for conformal sets: a class is in the set unless the process fits it worse than nearly all held-out processes of
 * that class. With too few of those, the p-value is "insufficient" and blocks nothing. The reference scores are sorted once.
 */
export function createConformal(
  { conformal, reference }: Parameters,
  labels: readonly Label[] = [],
): (posterior: ByClass) => ConformalResult {
  const sorted = (className: ProcessClass): readonly number[] =>
    [
      ...reference[className],
      ...labels.filter((label) => label.class === className).map((label) => 1 - label.posterior),
    ].sort((a, b) => a - b);
  const scores = {
    useful: sorted('useful'),
    useful_bad: sorted('useful_bad'),
    abandoned: sorted('abandoned'),
    zombie: sorted('zombie'),
  };
  const referenceCounts = byClass((className) => scores[className].length);
  return (posterior) => {
    const pValue = (className: ProcessClass): number | 'insufficient' => {
      const known = scores[className];
      if (known.length < conformal.minimum) return 'insufficient';
      return (1 + known.length - firstAtLeast(known, 1 - posterior[className])) / (known.length + 1);
    };
    const pValues = {
      useful: pValue('useful'),
      useful_bad: pValue('useful_bad'),
      abandoned: pValue('abandoned'),
      zombie: pValue('zombie'),
    };
    const fits = (className: ProcessClass): boolean => {
      const value = pValues[className];
      return value !== 'insufficient' && value > conformal.level;
    };
    return {
      level: conformal.level,
      pValues,
      set: CLASSES.filter(fits),
      referenceCounts,
      interval: intervalOf(posterior.abandoned, scores.abandoned, conformal),
      blocksAutomation: fits('useful'),
    };
  };
}

/** Returns the index of the first element of a sorted array that is at least a value. */
function firstAtLeast(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the abandoned posterior plus and minus the error of held-out abandoned processes at this level. */
function intervalOf(
  value: number,
  sorted: readonly number[],
  { level, minimum }: Parameters['conformal'],
): ConformalResult['interval'] {
  if (sorted.length < minimum) return null;
  const rank = Math.min(sorted.length, Math.ceil((sorted.length + 1) * (1 - level)));
  const halfWidth = sorted[rank - 1] ?? 1;
  return {
    low: Math.max(0, value - halfWidth),
    high: Math.min(1, value + halfWidth),
    halfWidth,
    count: sorted.length,
  };
}
