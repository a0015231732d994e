/** A benchmark case; it must do the same in each round. */
export interface Case {
  readonly name: string;
  readonly run: () => void | Promise<void>;
}

/** The time of each case in each round. */
export type Times = ReadonlyMap<string, readonly number[]>;

/**
 * Runs the cases in turn, so that a temporary slowdown of the machine affects all of them. The warm-up rounds are not measured.
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

/** The ratio of the times of two cases: the median of the ratios of each round. */
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
