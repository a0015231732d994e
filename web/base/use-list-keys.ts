import { useKeys } from './use-keys.ts';

/** `j` and `k` choose the next and the previous item of a list; without a choice, the first one. */
export function useListKeys<T>(
  items: readonly T[],
  isChosen: (item: T) => boolean,
  choose: (item: T) => void,
): void {
  const move = (step: number): void => {
    const at = items.findIndex(isChosen) + step;
    const next = items[Math.max(0, Math.min(items.length - 1, at))];
    if (next !== undefined) choose(next);
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}
