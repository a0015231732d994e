import type { ProcessClass } from '../../src/triage/assessment.ts';
import type { Observation } from '../../src/triage/features/observation.ts';
import { BLOCKS, cellOf, LIVING } from '../../src/triage/inference/likelihood.ts';
import type { Parameters } from '../../src/triage/parameters/model-parameters.ts';

/** The observation of a labelled process. */
export interface Example {
  readonly observation: Observation;
  readonly truth: ProcessClass;
  readonly family: string;
  readonly scenario: string;
  /** Whether there are grounds and no veto. */
  readonly isAllowed: boolean;
}

/** Counts for how many processes there are grounds and no veto. */
export function countAllowed(examples: readonly Example[]): Parameters['grounds']['counts'] {
  const count = (isOf: (truth: ProcessClass) => boolean) => {
    const members = examples.filter(({ truth }) => isOf(truth));
    return { allowed: members.filter(({ isAllowed }) => isAllowed).length, total: members.length };
  };
  return {
    useful: count((truth) => truth === 'useful' || truth === 'useful_bad'),
    abandoned: count((truth) => truth === 'abandoned'),
  };
}

/** Identical processes of one scenario are not independent; at most this many are counted. */
const COPIES = 3;

/** Counts cells by class over labelled processes. Time since the loss is not counted: test processes are only minutes old. */
export function fitCounts(examples: readonly Example[]): Parameters['counts'] {
  const counts: Record<string, Record<string, Record<string, number>>> = {};
  const copies = new Map<string, number>();
  for (const { observation, truth, scenario } of examples) {
    const of = LIVING.find((living) => living === truth);
    if (of === undefined || observation.state === 'zombie') continue;
    for (const block of BLOCKS) {
      const cell = cellOf(block, observation);
      if (cell === undefined || block === 'loss_age' || cell.includes('unknown/')) continue;
      // A process under an orphaned ancestor has the lifeline and signature of that ancestor.
      if (observation.stem !== null && (block === 'lifeline' || block === 'signature')) continue;
      const key = `${scenario} ${of} ${block} ${cell}`;
      const seen = copies.get(key) ?? 0;
      copies.set(key, seen + 1);
      if (seen >= COPIES) continue;
      const row = ((counts[block] ??= {})[of] ??= {});
      row[cell] = (row[cell] ?? 0) + 1;
    }
  }
  return sortKeys(counts);
}

function sortKeys<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, member]) => [key, sortKeys(member)]),
  ) as T;
}
