import { describe, expect, it } from 'vitest';
import { axisTicks } from './axis-ticks.ts';

const labels = (totalMs: number): string[] => axisTicks(totalMs).map(({ label }) => label);

describe('the ticks of an axis', () => {
  it('are round times that people count in', () => {
    expect(labels(1000)).toEqual(['0', '200ms', '400ms', '600ms', '800ms', '1s']);
    expect(labels(2300)).toEqual(['0', '500ms', '1s', '1.5s', '2s']);
    expect(labels(21_900)).toEqual(['0', '5s', '10s', '15s', '20s']);
    expect(labels(79_000)).toEqual(['0', '20s', '40s', '1m']);
    expect(labels(7 * 60_000)).toEqual(['0', '2m', '4m', '6m']);
    expect(labels(2.5 * 3_600_000)).toEqual(['0', '30m', '1h', '1h 30m', '2h', '2h 30m']);
    expect(labels(9 * 86_400_000)).toEqual(['0', '2d', '4d', '6d', '8d']);
  });

  it('are at most five after zero, and inside the axis', () => {
    for (let totalMs = 1000; totalMs < 1e10; totalMs *= 1.37) {
      const ticks = axisTicks(totalMs);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)?.atMs).toBeLessThanOrEqual(totalMs);
    }
  });
});
