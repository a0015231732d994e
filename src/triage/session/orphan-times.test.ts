import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Judgement } from '../assessment.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import { readOrphanTimes, saveOrphanTimes } from './orphan-times.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-orphans-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const snapshot = (takenAtMs: number, bootId = 'boot'): ProcessSnapshot =>
  ({
    bootId,
    takenAtMs,
    processes: [
      { pid: 7, startTicks: 1, kernel: false },
      { pid: 8, startTicks: 2, kernel: false, cpuTicks: 44 },
    ],
  }) as unknown as ProcessSnapshot;
const judgement = {
  assessments: [{ pid: 8, startTicks: 2, observation: { lost: true, lostForMs: 300 } }],
} as unknown as Judgement;

const NOTHING = { lostSince: new Map<string, number>(), history: new Map() };

describe('the stored orphan times', () => {
  it('contain since when a process is orphaned, or the time of the snapshot if it was not', () => {
    saveOrphanTimes(root, snapshot(1000), judgement, NOTHING);
    const { lostSince } = readOrphanTimes(root, snapshot(2000));
    expect(['7:1', '8:2', '9:3'].map((key) => lostSince.get(key))).toEqual([1000, 700, undefined]);
  });

  it('contain when a process was first seen orphaned and last seen with its owner, over several snapshots', () => {
    saveOrphanTimes(root, snapshot(1000), { ...judgement, assessments: [] }, NOTHING);
    const second = readOrphanTimes(root, snapshot(2000));
    expect(second.history.get('8:2')).toEqual({ firstLostMs: 2000, lastOwnedMs: 1000 });
    saveOrphanTimes(root, snapshot(2000), judgement, second);
    expect(readOrphanTimes(root, snapshot(3000)).history.get('8:2')).toEqual({
      firstLostMs: 2000,
      lastOwnedMs: 1000,
      reading: { atMs: 2000, cpuTicks: 44 },
    });
  });

  it('are used only for later snapshots of the same boot, and ignored if they are invalid', () => {
    const sinceAt = (at: ProcessSnapshot): number | undefined =>
      readOrphanTimes(root, at).lostSince.get('8:2');
    expect(sinceAt(snapshot(1))).toBeUndefined();
    saveOrphanTimes(root, snapshot(1000), judgement, NOTHING);
    expect(sinceAt(snapshot(2000))).toBe(700);
    expect(sinceAt(snapshot(1000))).toBeUndefined();
    expect(sinceAt(snapshot(2000, 'other'))).toBeUndefined();
    writeFileSync(join(root, 'last-look.json'), '{"seen":');
    expect(sinceAt(snapshot(2000))).toBeUndefined();
  });
});
