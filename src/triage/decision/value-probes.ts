import { CLASSES, type ByClass, type ProbeValue } from '../assessment.ts';
import { streamSide, type LivingClass } from '../inference/likelihood.ts';
import { byClass } from '../inference/posterior.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { cheapest, expectedLosses } from './expected-loss.ts';
import { findInfeasible, type Circumstances } from './feasibility.ts';

interface Probe {
  readonly name: string;
  readonly cost: string;
  /** P(outcome | class), one row per outcome; the column of each class adds up to one. */
  readonly outcomes: readonly ByClass[];
}

/**
 * Computes the value of information of each probe: the expected loss of the best action now, minus its mean over the outcomes that
 * the model predicts for the probe. It is never negative, because an outcome can be ignored.
 */
export function valueProbes(
  posterior: ByClass,
  circumstances: Circumstances,
  parameters: Parameters,
): readonly ProbeValue[] {
  const now = bestLoss(posterior, circumstances, parameters);
  return probesFor(circumstances, parameters)
    .map(({ name, cost, outcomes }) => {
      let after = 0;
      let confidence = 0;
      for (const likelihood of outcomes) {
        const weight = CLASSES.reduce(
          (sum, className) => sum + posterior[className] * likelihood[className],
          0,
        );
        if (weight <= 0) continue;
        const updated = byClass((className) => (posterior[className] * likelihood[className]) / weight);
        after += weight * bestLoss(updated, circumstances, parameters);
        confidence += weight * Math.max(...CLASSES.map((className) => updated[className]));
      }
      return {
        probe: name,
        cost,
        expectedLossNow: now,
        expectedLossAfter: after,
        value: Math.max(0, now - after),
        expectedConfidence: confidence,
      };
    })
    .toSorted((a, b) => b.value - a.value || (a.probe < b.probe ? -1 : 1));
}

function bestLoss(posterior: ByClass, circumstances: Circumstances, parameters: Parameters): number {
  const losses = expectedLosses(posterior, parameters);
  return losses[cheapest(losses, findInfeasible(circumstances, posterior, parameters))];
}

function probesFor({ observation }: Circumstances, parameters: Parameters): readonly Probe[] {
  if (observation.state === 'zombie') return [];
  const { name, cost, stirs: showsActivity } = parameters.probes.wait;
  const wait: Probe = {
    name,
    cost,
    outcomes: [showsActivity, byClass((className) => 1 - showsActivity[className])],
  };
  // Its file descriptors were not readable.
  return observation.network === 'unknown' ? [wait, deepScan(observation, parameters)] : [wait];
}

/** The outcomes of reading standard streams that were not readable. */
function deepScan({ anchor }: Circumstances['observation'], parameters: Parameters): Probe {
  const rows = parameters.tables.streams[streamSide(anchor)];
  const ends = Object.keys(rows.useful);
  const total = (className: LivingClass): number =>
    ends.reduce((sum, end) => sum + (rows[className][end] ?? 0), 0);
  return {
    name: 'deep scan as the owner of the process',
    cost: 'privilege',
    outcomes: ends.map((end) =>
      byClass((className) =>
        className === 'zombie' ? 1 / ends.length : (rows[className][end] ?? 0) / total(className),
      ),
    ),
  };
}
