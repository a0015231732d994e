import { CLASSES, type ByClass, type ConformalResult, type ProcessClass } from '../assessment.ts';
import type { Parameters } from '../parameters/parameters.ts';
import { byClass } from './posterior.ts';

/** A process somebody has labelled: the posterior of its true class. */
export interface Label {
  readonly class: ProcessClass;
  readonly posterior: number;
}

/**
 * Conformal sets by class: a class stays in the set unless the process fits it worse than nearly all held-out processes of that class
 * did. With too few of those it says "insufficient" and blocks nothing.
 */
export function conformalSet(
  posterior: ByClass,
  { conformal, reference }: Parameters,
  labels: readonly Label[] = [],
): ConformalResult {
  const scores = (of: ProcessClass): readonly number[] => [
    ...reference[of],
    ...labels.filter((label) => label.class === of).map((label) => 1 - label.posterior),
  ];
  const pValue = (of: ProcessClass): number | 'insufficient' => {
    const known = scores(of);
    if (known.length < conformal.minimum) return 'insufficient';
    const own = 1 - posterior[of];
    return (1 + known.filter((score) => score >= own).length) / (known.length + 1);
  };
  const pValues = {
    useful: pValue('useful'),
    useful_bad: pValue('useful_bad'),
    abandoned: pValue('abandoned'),
    zombie: pValue('zombie'),
  };
  const fits = (of: ProcessClass): boolean => {
    const value = pValues[of];
    return value !== 'insufficient' && value > conformal.level;
  };
  return {
    level: conformal.level,
    pValues,
    set: CLASSES.filter(fits),
    referenceCounts: byClass((of) => scores(of).length),
    interval: intervalOf(posterior.abandoned, scores('abandoned'), conformal),
    blocksAutomation: fits('useful'),
  };
}

/** The abandoned posterior, plus and minus how far held-out abandoned processes were from certainty at this level. */
function intervalOf(
  value: number,
  scores: readonly number[],
  { level, minimum }: Parameters['conformal'],
): ConformalResult['interval'] {
  if (scores.length < minimum) return null;
  const rank = Math.min(scores.length, Math.ceil((scores.length + 1) * (1 - level)));
  const halfWidth = scores.toSorted((a, b) => a - b)[rank - 1] ?? 1;
  return {
    low: Math.max(0, value - halfWidth),
    high: Math.min(1, value + halfWidth),
    halfWidth,
    count: scores.length,
  };
}
