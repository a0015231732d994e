import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOrphans } from '../../../test/fixtures/orphans.ts';
import { isAlive } from '../../../test/fixtures/real-processes.ts';
import { randomHex } from '../../base/ids.ts';
import { openLibc } from '../../system/libc/libc.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { killMarked, type KillMarkedContext } from './kill-marked.ts';

const environment: KillMarkedContext = {
  procRoot: '/proc',
  pid: process.pid,
  uid: process.getuid?.() ?? 0,
  openLibc,
  monotonicMs,
};

describe('a marked process', () => {
  const mark = `run-${randomHex(8)}`;
  let marked: readonly number[] = [];
  let others: readonly number[] = [];
  beforeAll(() => {
    marked = startOrphans(3, { DEED_RUN_ID: mark });
    // Settings that only contain the mark are not the mark.
    others = [
      ...startOrphans(1, { DEED_RUN_ID: `${mark}1` }),
      ...startOrphans(1, { X_DEED_RUN_ID: mark }),
      ...startOrphans(1, { OTHER: `DEED_RUN_ID=${mark}` }),
    ];
  });
  afterAll(() => {
    for (const pid of [...marked, ...others]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  test('is reported and keeps running where it cannot be pinned', async () => {
    const failToOpen = (): never => {
      throw new Error('no library');
    };
    const left = await killMarked({ ...environment, openLibc: failToOpen }, `DEED_RUN_ID=${mark}`);
    expect(new Map(left.map(({ pid, ended }) => [pid, ended]))).toEqual(
      new Map(marked.map((pid) => [pid, false])),
    );
    expect(marked.every(isAlive)).toBe(true);
  });

  test('is not killed if it is the caller or its ancestor', async () => {
    const [first = 0] = marked;
    const left = await killMarked({ ...environment, pid: first, openLibc: refuse }, `DEED_RUN_ID=${mark}`);
    expect(left.map(({ pid }) => pid)).not.toContain(first);
  });

  test('is killed, and no other process', async () => {
    const left = await killMarked(environment, `DEED_RUN_ID=${mark}`);
    expect(new Map(left.map(({ pid, ended }) => [pid, ended]))).toEqual(
      new Map(marked.map((pid) => [pid, true])),
    );
    expect(marked.some(isAlive)).toBe(false);
    expect(others.every(isAlive)).toBe(true);
  });

  test('is not found after that, and then libc is not loaded', async () => {
    expect(await killMarked({ ...environment, openLibc: refuse }, `DEED_RUN_ID=${mark}`)).toEqual([]);
  });
});

function refuse(): never {
  throw new Error('must not be loaded');
}
