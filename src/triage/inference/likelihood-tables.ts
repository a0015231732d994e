import type { ByClass } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { baseOf, LIVING, type Block, type LivingClass } from './likelihood.ts';

/** How many cells a zombie's flat row is spread over; it prefers none, since its state alone says what it is. */
const FLAT: Readonly<Record<Block, number>> = {
  lifeline: 80,
  signature: 14,
  activity: 6,
  loss_age: 5,
  network: 4,
  writes: 5,
};

export type Likelihood = (block: Block, cell: string) => ByClass;

/**
 * Prepares P(cell | class): Dirichlet–categorical, the stated base weighed by its strength together with what was counted on labelled
 * processes. Signature and lifeline are counted within the side they are on, cut off or not.
 */
export function createLikelihood(parameters: Parameters): Likelihood {
  const known = new Map<string, ByClass>();
  return (block, cell) => {
    const key = `${block} ${cell}`;
    let found = known.get(key);
    if (found === undefined) {
      const [useful = 0, usefulBad = 0, abandoned = 0] = LIVING.map((of) =>
        cellShare(block, cell, of, parameters),
      );
      found = { useful, useful_bad: usefulBad, abandoned, zombie: 1 / FLAT[block] };
      known.set(key, found);
    }
    return found;
  };
}

function cellShare(block: Block, cell: string, of: LivingClass, parameters: Parameters): number {
  const strength = strengthOf(block, parameters);
  const counts = Object.entries(parameters.counts[block]?.[of] ?? {});
  const group = groupOf(block, cell);
  let total = 0;
  let here = 0;
  for (const [counted, count] of counts) {
    if (groupOf(block, counted) !== group) continue;
    total += count;
    if (covers(block, cell, counted)) here += count;
  }
  return (strength * baseOf(block, cell, of, parameters) + here) / (strength + total);
}

function strengthOf(block: Block, { tables }: Parameters): number {
  return block === 'lifeline' ? tables.anchor.strength : tables[block].strength;
}

/** Signatures are distributions given the side, so each side is counted by itself. */
function groupOf(block: Block, cell: string): string {
  return block === 'signature' ? (cell.split('/')[0] ?? '') : '';
}

/** A lifeline whose streams were not seen is the sum over all that they could have been. */
function covers(block: Block, cell: string, counted: string): boolean {
  if (cell === counted) return true;
  if (block !== 'lifeline') return false;
  const [anchor, streams, cwd] = cell.split('/');
  const [otherAnchor, , otherCwd] = counted.split('/');
  return streams === 'unknown' && anchor === otherAnchor && cwd === otherCwd;
}
