/** Called at the time of the event; it may add later events. */
export type SimulationEvent = (atS: number) => void;

/** Events in the order of their times: a binary heap. */
export function createEventQueue(): {
  readonly add: (atS: number, event: SimulationEvent) => void;
  /** Runs all events, also those that they add. */
  readonly run: () => void;
} {
  const heap: { readonly atS: number; readonly event: SimulationEvent }[] = [];
  const swap = (left: number, right: number): void => {
    [heap[left], heap[right]] = [heap[right] as (typeof heap)[number], heap[left] as (typeof heap)[number]];
  };
  const timeOf = (index: number): number => heap[index]?.atS ?? Infinity;
  const takeFirst = () => {
    swap(0, heap.length - 1);
    const first = heap.pop();
    for (let index = 0; ;) {
      const child = timeOf(2 * index + 2) < timeOf(2 * index + 1) ? 2 * index + 2 : 2 * index + 1;
      if (timeOf(child) >= timeOf(index)) return first;
      swap(index, child);
      index = child;
    }
  };
  return {
    add: (atS, event) => {
      heap.push({ atS, event });
      for (let index = heap.length - 1; index > 0;) {
        const parent = (index - 1) >> 1;
        if (timeOf(parent) <= timeOf(index)) return;
        swap(parent, index);
        index = parent;
      }
    },
    run: () => {
      while (heap.length > 0) {
        const { atS, event } = takeFirst() ?? { atS: 0, event: () => undefined };
        event(atS);
      }
    },
  };
}

export interface Random {
  /** Between 0 and 1. */
  readonly next: () => number;
  readonly normal: () => number;
}

/** Creates a seeded generator of random numbers (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return { next, normal };
}
