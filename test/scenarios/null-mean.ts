import type { Verdict } from './evaluate.ts';
import { wilson } from './wilson.ts';

/** The mean of e-values over useful processes. Above one, e-values would claim more than the data support. */
export interface NullMean {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly families: number;
  /** The family with the largest mean. */
  readonly worst: { readonly family: string; readonly mean: number };
}

/** What e-BH rejected: "in use" is wrong of all but `inUse` of them, at 95 % of all but a share of `bound`. */
export interface Discoveries {
  readonly rejected: number;
  readonly inUse: number;
  readonly bound: number;
}

const SAMPLES = 2000;

/** The interval is a bootstrap over families: processes of one family are alike, and a family is what was held out. */
export function findNullMean(useful: readonly Verdict[]): NullMean {
  const families = Map.groupBy(useful, ({ family }) => family);
  const groups = [...families.values()];
  const random = createRandom(1);
  const means = Array.from({ length: SAMPLES }, () =>
    meanOf(groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? [])),
  ).toSorted((a, b) => a - b);
  const [worst = { family: '', mean: Number.NaN }] = [...families]
    .map(([family, members]) => ({ family, mean: meanOf(members) }))
    .toSorted((left, right) => right.mean - left.mean);
  return {
    mean: meanOf(useful),
    low: means[Math.floor(SAMPLES * 0.025)] ?? Number.NaN,
    high: means[Math.floor(SAMPLES * 0.975)] ?? Number.NaN,
    count: useful.length,
    families: families.size,
    worst,
  };
}

export function countDiscoveries(verdicts: readonly Verdict[]): Discoveries {
  const rejected = verdicts.filter(({ isRejected }) => isRejected);
  const inUse = rejected.filter(({ truth }) => truth === 'useful' || truth === 'useful_bad').length;
  // With none of n, the rule of three.
  const bound = inUse === 0 ? Math.min(1, 3 / rejected.length) : wilson(inUse, rejected.length).high;
  return { rejected: rejected.length, inUse, bound };
}

function meanOf(verdicts: readonly Verdict[]): number {
  return verdicts.reduce((sum, { eValue }) => sum + eValue, 0) / verdicts.length;
}

/** A generator with a fixed seed, so that the same recording gives the same figures. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
