import type { Situation } from './situation.ts';

const BATCH_SIZE = 40;

/** Divides situations into batches that run at the same time, as on a real machine; CPU-bound ones are kept apart from the others. */
export function planBatches(situations: readonly Situation[]): readonly (readonly Situation[])[] {
  return [
    situations.filter(({ busy }) => busy !== true),
    situations.filter(({ busy }) => busy === true),
  ].flatMap(divide);
}

function divide(situations: readonly Situation[]): readonly (readonly Situation[])[] {
  const count = Math.ceil(situations.length / BATCH_SIZE);
  // Every batch gets some of each family.
  return Array.from({ length: count }, (_, batch) =>
    situations.filter((_one, index) => index % count === batch),
  );
}
