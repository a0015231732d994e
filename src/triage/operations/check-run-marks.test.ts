import { describe, expect, it } from 'vitest';
import { RUN_MARK } from '../../base/run-mark-variable.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { checkRunMarks } from './check-run-marks.ts';

const BOOT_SECONDS = 1_700_000_000;
const TICKS_PER_SECOND = 100;
const RUN = 'run_1';

function runIdOf(startTicks: number, mark = 'genuine'): string | null | undefined {
  const process = { startTicks, deep: { runId: RUN, environment: { [RUN_MARK]: mark } } };
  const snapshot = {
    bootTimeSeconds: BOOT_SECONDS,
    ticksPerSecond: TICKS_PER_SECOND,
    processes: [process as unknown as ProcessFacts],
  };
  const [checked] = checkRunMarks(snapshot, {
    lookUpRun: () => ({
      alive: false,
      item: 'fix',
      agent: 'coder',
      status: 'success',
      endedAt: new Date((BOOT_SECONDS + 60) * 1000).toISOString(),
    }),
    isRunMark: (_, value) => value === 'genuine',
  });
  return checked?.deep?.runId;
}

describe('the run of a process that carries the mark of a run that has ended', () => {
  it('counts if the process was started before the end', () => {
    expect(runIdOf(60 * TICKS_PER_SECOND)).toBe(RUN);
  });

  it('does not count if it was started later, by one tick', () => {
    expect(runIdOf(60 * TICKS_PER_SECOND + 1)).toBeNull();
  });

  it('does not count with a forged mark', () => {
    expect(runIdOf(60 * TICKS_PER_SECOND, 'forged')).toBeNull();
  });
});
