import type { Family, Situation } from './situation.ts';

/** Renders the number of situations by family and label, and how many use the real program. */
export function renderInventory(families: readonly Family[]): string {
  const lines = families.map(({ name, situations }) => `  ${name}: ${describe(situations)}`);
  return [
    'Situations:',
    ...lines,
    `  all: ${describe(families.flatMap(({ situations }) => situations))}`,
  ].join('\n');
}

function describe(situations: readonly Situation[]): string {
  const count = (matches: (one: Situation) => boolean): number => situations.filter(matches).length;
  const keep = count(({ label }) => label === 'keep');
  const eligible = count((one) => one.eligible);
  const real = count(({ standIn }) => standIn === undefined);
  return `${situations.length} (${keep} to be kept, ${situations.length - keep} abandoned, of these ${eligible} eligible), ${real} with the real program`;
}
