import {
  CLASSES,
  type Action,
  type ByClass,
  type LedgerTerm,
  type ProbeValue,
  type ProcessClass,
  type UncertaintyInfo,
} from '../assessment.ts';
import { byClass, likeliest } from '../inference/posterior.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { cheapest, expectedLosses } from './expected-loss.ts';
import { findInfeasible, type Circumstances } from './feasibility.ts';

/** Minimum log-likelihood ratios of contrary evidence for impact high and medium. */
const HIGH = 2;
const MEDIUM = 0.7;
const LISTED_DRIVERS = 3;
/** The robustness of a decision: the factor by which the odds of "useful" may be wrong without changing it. */
const ROBUST_FACTORS = [
  { factor: 3, robustness: 'high' },
  { factor: 1.5, robustness: 'medium' },
] as const;

/** The facts behind a recommended action. */
export interface DecisionFacts {
  readonly posterior: ByClass;
  readonly ledger: readonly LedgerTerm[];
  /** The value of further probes. */
  readonly voi: readonly ProbeValue[];
  readonly circumstances: Circumstances;
}

/** Returns the confidence of an assessment, the evidence against it, and the probes that would increase it. */
export function findUncertainty(
  action: Action,
  { posterior, ledger, voi, circumstances }: DecisionFacts,
  parameters: Parameters,
): UncertaintyInfo {
  const best = likeliest(posterior);
  const confidence = posterior[best];
  return {
    confidence_level: confidence,
    uncertainty_drivers: findDrivers(ledger, best, posterior),
    to_increase_confidence: voi.map(({ probe, cost, expectedConfidence }) => ({
      probe,
      expected_gain: Math.max(0, expectedConfidence - confidence),
      cost,
    })),
    decision_robustness: findRobustness(posterior, action, circumstances, parameters),
  };
}

function findDrivers(
  ledger: readonly LedgerTerm[],
  best: ProcessClass,
  posterior: ByClass,
): UncertaintyInfo['uncertainty_drivers'] {
  const rival = CLASSES.filter((className) => className !== best).reduce((a, b) =>
    posterior[b] > posterior[a] ? b : a,
  );
  return ledger
    .filter(({ term }) => term !== 'evidence' && term !== 'prior')
    .map(({ term, cell, logLikelihood }) => ({
      term,
      cell,
      against: logLikelihood[rival] - logLikelihood[best],
    }))
    .filter(({ against }) => against > 0)
    .toSorted((a, b) => b.against - a.against)
    .slice(0, LISTED_DRIVERS)
    .map(({ term, cell, against }) => ({
      factor: term,
      impact:
        against >= HIGH ? ('high' as const) : against >= MEDIUM ? ('medium' as const) : ('low' as const),
      note: `${term} "${cell}" is ${Math.exp(against).toFixed(1)} times as likely if ${rival}`,
    }));
}

function findRobustness(
  posterior: ByClass,
  action: Action,
  circumstances: Circumstances,
  parameters: Parameters,
): UncertaintyInfo['decision_robustness'] {
  const holds = (factor: number): boolean => {
    const weight = (className: ProcessClass): number =>
      posterior[className] * (className === 'useful' || className === 'useful_bad' ? factor : 1);
    const total = CLASSES.reduce((sum, className) => sum + weight(className), 0);
    const shifted = byClass((className) => weight(className) / total);
    return (
      cheapest(expectedLosses(shifted, parameters), findInfeasible(circumstances, shifted, parameters)) ===
      action
    );
  };
  return ROBUST_FACTORS.find(({ factor }) => holds(factor) && holds(1 / factor))?.robustness ?? 'low';
}
