import { CLASSES, type ProcessClass } from '../../src/triage/assessment.ts';
import type { Verdict } from './evaluate.ts';
import { countDiscoveries, findNullMean, type Discoveries, type NullMean } from './null-mean.ts';
import { wilson } from './wilson.ts';

export interface Metrics {
  readonly processes: number;
  readonly confusion: Readonly<Record<ProcessClass, Readonly<Record<ProcessClass, number>>>>;
  readonly logLoss: number;
  readonly brier: number;
  readonly reliability: readonly ReliabilityRow[];
  readonly nullMean: NullMean;
  /** What e-BH rejected, and how much of it was in use. */
  readonly discoveries: Discoveries;
  /** Useful processes with a recommended kill, pause, throttle or restart. */
  readonly falseActions: readonly Verdict[];
  /** Upper bound at 95 %; without false actions it is three divided by the number of trials. */
  readonly falseActionBound: number;
  readonly usefulTrials: number;
  readonly abandoned: number;
  /** Abandoned processes that are neither to be killed nor for review. */
  readonly unlisted: readonly Verdict[];
  /** Abandoned processes with grounds, and those of them without a recommended kill. */
  readonly withGrounds: number;
  readonly missed: readonly Verdict[];
}

export interface ReliabilityRow {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly predicted: number;
  readonly observed: number;
  readonly low: number;
  readonly high: number;
}

const BOUNDS = [0, 0.05, 0.2, 0.5, 0.9, 0.99, 1.000_001];

/** Scores verdicts; the source of all published figures. */
export function scoreVerdicts(verdicts: readonly Verdict[]): Metrics {
  const useful = verdicts.filter(({ truth }) => truth === 'useful' || truth === 'useful_bad');
  const abandoned = verdicts.filter(({ truth }) => truth === 'abandoned');
  const falseActions = useful.filter(({ action }) => action !== 'review' && action !== 'spare');
  const grounded = abandoned.filter(({ isEligible }) => isEligible);
  return {
    processes: verdicts.length,
    confusion: countConfusion(verdicts),
    logLoss: mean(verdicts.map(({ posterior, truth }) => -Math.log(Math.max(1e-15, posterior[truth])))),
    brier: mean(
      verdicts.map(({ posterior, truth }) =>
        CLASSES.reduce((sum, of) => sum + (posterior[of] - (of === truth ? 1 : 0)) ** 2, 0),
      ),
    ),
    reliability: tabulate(verdicts),
    nullMean: findNullMean(useful),
    discoveries: countDiscoveries(verdicts),
    falseActions,
    falseActionBound:
      Math.max(3, falseActions.length + 2 * Math.sqrt(falseActions.length) + 3) / useful.length,
    usefulTrials: useful.length,
    abandoned: abandoned.length,
    unlisted: abandoned.filter(({ action }) => action === 'spare'),
    withGrounds: grounded.length,
    missed: grounded.filter(({ action }) => action !== 'kill'),
  };
}

function countConfusion(verdicts: readonly Verdict[]): Metrics['confusion'] {
  const row = (truth: ProcessClass): Record<ProcessClass, number> => {
    const count = (of: ProcessClass): number =>
      verdicts.filter((one) => one.truth === truth && one.classification === of).length;
    return {
      useful: count('useful'),
      useful_bad: count('useful_bad'),
      abandoned: count('abandoned'),
      zombie: count('zombie'),
    };
  };
  return {
    useful: row('useful'),
    useful_bad: row('useful_bad'),
    abandoned: row('abandoned'),
    zombie: row('zombie'),
  };
}

function tabulate(verdicts: readonly Verdict[]): ReliabilityRow[] {
  return BOUNDS.slice(0, -1).flatMap((from, position) => {
    const to = BOUNDS[position + 1] ?? 1;
    const inside = verdicts.filter(
      ({ posterior }) => posterior.abandoned >= from && posterior.abandoned < to,
    );
    if (inside.length === 0) return [];
    const hits = inside.filter(({ truth }) => truth === 'abandoned').length;
    return [
      {
        from,
        to: Math.min(1, to),
        count: inside.length,
        predicted: mean(inside.map(({ posterior }) => posterior.abandoned)),
        observed: hits / inside.length,
        ...wilson(hits, inside.length),
      },
    ];
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
