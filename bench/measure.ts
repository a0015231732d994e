/** Something to be timed again and again; must do the same each time. */
export interface Case {
  readonly name: string;
  readonly run: () => void | Promise<void>;
}

/** How long a case took in each round. */
export type Times = ReadonlyMap<string, readonly number[]>;

/**
 * Times cases in turn, so that whatever slows the machine down for a while slows all of them. Warm-up rounds come first and do not
 * count.
 */
export async function measure(cases: readonly Case[], rounds: number, warmUp = 3): Promise<Times> {
  const times = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const { name, run } of cases) {
      const startedAt = performance.now();
      await run();
      if (round >= 0) times.get(name)?.push(performance.now() - startedAt);
    }
  }
  return times;
}

export function medianOf(times: Times, name: string): number {
  return median(times.get(name) ?? []);
}

/** How many times as long one case takes as another: the median over the rounds, each compared with itself. */
export function ratioOf(times: Times, name: string, baseline: string): number {
  const base = times.get(baseline) ?? [];
  return median((times.get(name) ?? []).map((time, round) => time / (base[round] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
