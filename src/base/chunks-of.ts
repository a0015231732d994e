/** Splits an array or a string into chunks of the given size; the last may be shorter. */
export function chunksOf(text: string, size: number): string[];
export function chunksOf<T>(list: readonly T[], size: number): T[][];
export function chunksOf(whole: string | readonly unknown[], size: number): (string | unknown[])[] {
  if (!Number.isInteger(size) || size < 1) throw new Error(`a chunk cannot have ${size} elements`);
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.slice(index * size, (index + 1) * size),
  );
}
