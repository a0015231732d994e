import { describe, expect, it } from 'vitest';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import { diffSnapshots } from './diff-snapshots.ts';

const MB = 1024 * 1024;
const one = (pid: number, changes: Partial<ProcessFacts> = {}): ProcessFacts =>
  ({ pid, ppid: 1, startTicks: pid, state: 'S', comm: `p${pid}`, rssBytes: MB, ...changes }) as ProcessFacts;
const snapshotOf = (processes: readonly ProcessFacts[], bootId = 'boot'): ProcessSnapshot =>
  ({
    bootId,
    bootTimeSeconds: 0,
    ticksPerSecond: 100,
    memory: { availableBytes: 0, totalBytes: 0 },
    processes,
  }) as unknown as ProcessSnapshot;
const pids = (list: unknown): number[] => (list as { pid: number }[]).map(({ pid }) => pid);

describe('a comparison of two snapshots', () => {
  it('lists processes that appeared, ended and changed; zombies count as ended', () => {
    const before = snapshotOf([one(1), one(2), one(3), one(4), one(5), one(6)]);
    const after = snapshotOf([
      one(1),
      one(2, { state: 'Z' }),
      one(3, { startTicks: 999 }),
      one(4, { ppid: 9, state: 'T', rssBytes: 60 * MB, comm: 'new' }),
      one(5, { state: 'R' }),
      one(7),
      one(8, { state: 'Z' }),
    ]);
    const diff = diffSnapshots(before, after);
    expect([pids(diff.appeared), pids(diff.ended), pids(diff.changed)]).toEqual([[3, 7], [2, 3, 6], [4]]);
    expect(diff.changed[0]?.changes).toEqual({
      ppid: [1, 9],
      state: ['S', 'T'],
      name: ['p4', 'new'],
      memory_mb: [1, 60],
    });
  });

  it('matches no processes of different boots', () => {
    const diff = diffSnapshots(snapshotOf([one(1)]), snapshotOf([one(1)], 'other'));
    expect(diff).toMatchObject({ same_boot: false, summary: { appeared: 1, ended: 1, changed: 0 } });
  });
});
