import type { ByClass } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { baseOf, LIVING, type Block, type LivingClass } from './likelihood.ts';
import { supportedShare } from './support.ts';

/** The number of cells per block. Zombies have a uniform distribution: only their state identifies them. */
const CELL_COUNTS: Readonly<Record<Block, number>> = {
  lifeline: 80,
  signature: 14,
  activity: 6,
  loss_age: 5,
  network: 4,
  writes: 5,
};

export type Likelihood = (block: Block, cell: string) => ByClass;

/**
 * Creates a function for P(cell | class): a Dirichlet–categorical model whose prior is the configured base, weighted by its strength, with
 * the counts over labelled processes. Signatures of orphaned processes and others are separate distributions.
 */
export function createLikelihood(parameters: Parameters): Likelihood {
  const known = new Map<string, ByClass>();
  return (block, cell) => {
    const key = `${block} ${cell}`;
    let found = known.get(key);
    if (found === undefined) {
      const [useful = 0, usefulBad = 0, abandoned = 0] = LIVING.map((className) =>
        cellShare(block, cell, className, parameters),
      );
      const least = leastShare(block, cell, parameters);
      found = {
        useful: cap(useful, abandoned, least),
        useful_bad: cap(usefulBad, abandoned, least),
        abandoned,
        zombie: 1 / CELL_COUNTS[block],
      };
      known.set(key, found);
    }
    return found;
  };
}

/** The smallest share of a cell among useful processes that the counts support. Without counts, a cell does not count against a process. */
function leastShare(block: Block, cell: string, { counts }: Parameters): number {
  const group = groupOf(block, cell);
  let total = 0;
  let here = 0;
  for (const inUse of ['useful', 'useful_bad']) {
    for (const [counted, count] of Object.entries(counts[block]?.[inUse] ?? {})) {
      if (groupOf(block, counted) !== group) continue;
      total += count;
      if (covers(block, cell, counted)) here += count;
    }
  }
  return supportedShare(here, total);
}

/** Evidence for "abandoned" is limited to what the counts support; evidence for "useful" is not changed. */
function cap(useful: number, abandoned: number, least: number): number {
  return abandoned > useful ? Math.min(abandoned, Math.max(useful, least)) : useful;
}

function cellShare(block: Block, cell: string, className: LivingClass, parameters: Parameters): number {
  const strength = strengthOf(block, parameters);
  const counts = Object.entries(parameters.counts[block]?.[className] ?? {});
  const group = groupOf(block, cell);
  let total = 0;
  let here = 0;
  for (const [counted, count] of counts) {
    if (groupOf(block, counted) !== group) continue;
    total += count;
    if (covers(block, cell, counted)) here += count;
  }
  return (strength * baseOf(block, cell, className, parameters) + here) / (strength + total);
}

function strengthOf(block: Block, { tables }: Parameters): number {
  return block === 'lifeline' ? tables.anchor.strength : tables[block].strength;
}

/** Signature distributions are conditional on being orphaned, so their counts are separate. */
function groupOf(block: Block, cell: string): string {
  return block === 'signature' ? (cell.split('/')[0] ?? '') : '';
}

/** A lifeline with unknown streams is the sum over all values of streams. */
function covers(block: Block, cell: string, counted: string): boolean {
  if (cell === counted) return true;
  if (block !== 'lifeline') return false;
  const [anchor, streams, cwd] = cell.split('/');
  const [otherAnchor, , otherCwd] = counted.split('/');
  return streams === 'unknown' && anchor === otherAnchor && cwd === otherCwd;
}
