/** Limits what each holder has open at a time, so that one does not take what others need. */
export interface OpenLimit {
  /** Counts this many as open for a holder, and returns a function that releases them once. Undefined if the holder would have too many. */
  readonly take: (holder: object, count?: number) => (() => void) | undefined;
}

export function createOpenLimit(max: number): OpenLimit {
  const taken = new WeakMap<object, number>();
  const add = (holder: object, count: number): void =>
    void taken.set(holder, (taken.get(holder) ?? 0) + count);
  return {
    take: (holder, count = 1) => {
      if ((taken.get(holder) ?? 0) + count > max) return undefined;
      add(holder, count);
      let isOpen = true;
      return () => {
        if (isOpen) add(holder, -count);
        isOpen = false;
      };
    },
  };
}
