import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, firstLine, killNow, LONG, startScript } from '../../test/fixtures/start-node.ts';
import { withLock } from './lock.ts';
import { processSpace } from './process-identity.ts';

const TIMEOUT_MS = LONG ? 900_000 : 120_000;

let folder = '';
let lock = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('eight processes that count under a lock lose no step', { timeout: TIMEOUT_MS }, async () => {
  const counter = join(folder, 'counter');
  writeFileSync(counter, '0');
  const times = LONG ? 500 : 50;
  const children = Array.from({ length: 8 }, () =>
    startScript('count-under-lock', [lock, counter, String(times)]),
  );
  expect(await Promise.all(children.map(ended))).toEqual(Array(8).fill(0));
  expect(readFileSync(counter, 'utf8')).toBe(String(8 * times));
  expect(readdirSync(folder)).toEqual(['counter']);
});

test('inside one process the same lock is held by one at a time', async () => {
  const order: string[] = [];
  const work = (name: string) =>
    withLock(lock, async () => {
      order.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} out`);
    });
  await Promise.all([work('a'), work('b')]);
  expect(order).toEqual(['a in', 'a out', 'b in', 'b out']);
});

test('a lock that another process holds is waited for, then refused with its holder', async () => {
  const holder = startScript('hold-lock', [lock]);
  await firstLine(holder);
  const refused = withLock(lock, () => undefined, { waitMs: 50 });
  await expect(refused).rejects.toMatchObject({
    code: 'E_TIMEOUT',
    details: { path: lock, holder_pid: String(holder.pid) },
  });
  await killNow(holder);
});

test('the lock of a killed process goes to the next', { timeout: TIMEOUT_MS }, async () => {
  for (let round = 0; round < (LONG ? 50 : 3); round += 1) {
    const holder = startScript('hold-lock', [lock]);
    await firstLine(holder);
    await killNow(holder);
    expect(existsSync(lock)).toBe(true);
    expect(await withLock(lock, () => 'mine', { waitMs: 1000 })).toBe('mine');
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('the lock of a killed process that nobody collects goes to the next', async () => {
  const script = join(import.meta.dirname, '../../test/fixtures/processes/hold-lock.ts');
  // The parent becomes a program that never waits for its children.
  const parent = spawn(
    'bash',
    ['-c', '"$0" "$1" "$2" & echo $!; exec sleep 600', process.execPath, script, lock],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  for await (const chunk of parent.stdout) {
    said += String(chunk);
    if (said.includes('held')) break;
  }
  const pid = Number(/\d+/u.exec(said)?.[0]);
  process.kill(pid, 'SIGKILL');
  expect(await withLock(lock, () => 'mine', { waitMs: 2000 })).toBe('mine');
  expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) Z /u);
  await killNow(parent);
});

test('many that find the same dead holder still go one at a time', { timeout: TIMEOUT_MS }, async () => {
  for (let round = 0; round < (LONG ? 50 : 3); round += 1) {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const holder = startScript('hold-lock', [lock]);
    await firstLine(holder);
    await killNow(holder);
    const children = Array.from({ length: 4 }, () => startScript('count-under-lock', [lock, counter, '5']));
    expect(await Promise.all(children.map(ended))).toEqual([0, 0, 0, 0]);
    expect(readFileSync(counter, 'utf8')).toBe('20');
    expect(readdirSync(folder)).toEqual(['counter']);
  }
});

const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
if (!canUnshare) process.stderr.write('Left out: no container can be made here.\n');

test.runIf(canUnshare)(
  'the lock of a process in another container is not broken while it may run',
  async () => {
    const script = join(import.meta.dirname, '../../test/fixtures/processes/hold-lock.ts');
    const container = spawn(
      'unshare',
      ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath, script, lock],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    expect(await firstLine(container)).toBe('held');
    await expect(withLock(lock, () => 'mine', { waitMs: 100 })).rejects.toMatchObject({ code: 'E_TIMEOUT' });
    await killNow(container);
    const old = Date.now() / 1000 - 11 * 60;
    utimesSync(lock, old, old);
    expect(await withLock(lock, () => 'mine', { waitMs: 500 })).toBe('mine');
  },
);

test('a lock of another machine counts for ten minutes', async () => {
  const record = { pid: 99_999_999, startedAt: 'other-boot:1', nonce: 'x', space: 'other-machine' };
  writeFileSync(lock, JSON.stringify(record));
  await expect(withLock(lock, () => 'mine', { waitMs: 50 })).rejects.toMatchObject({ code: 'E_TIMEOUT' });
  const old = Date.now() / 1000 - 11 * 60;
  utimesSync(lock, old, old);
  expect(await withLock(lock, () => 'mine', { waitMs: 500 })).toBe('mine');
});

test('a lock of this machine before it was started anew is broken at once', async () => {
  const record = { pid: process.pid, startedAt: 'other-boot:1', nonce: 'x', space: processSpace() };
  writeFileSync(lock, JSON.stringify(record));
  expect(await withLock(lock, () => 'mine', { waitMs: 500 })).toBe('mine');
});

test.each([
  ['nothing', ''],
  ['half a record', '{"pid":12,"star'],
  ['a JSON value that is no record', 'null'],
  ['a record without a nonce', '{"pid":1,"startedAt":""}'],
  ['a nonce that leads elsewhere', '{"pid":99999999,"startedAt":"","nonce":"../elsewhere","space":""}'],
  ['a group of processes', JSON.stringify({ pid: 0, startedAt: '', nonce: 'x', space: processSpace() })],
])('a lock that holds %s was left behind and is taken over', async (_what, content) => {
  writeFileSync(lock, content);
  expect(await withLock(lock, () => 'mine', { waitMs: 500 })).toBe('mine');
  expect(readdirSync(folder)).toEqual([]);
});

test('a link in the place of a lock is removed, and what it points to stays', async () => {
  const target = join(folder, 'target');
  symlinkSync(target, lock);
  expect(await withLock(lock, () => 'mine', { waitMs: 500 })).toBe('mine');
  writeFileSync(target, 'precious');
  symlinkSync(target, lock);
  expect(await withLock(lock, () => 'mine', { waitMs: 500 })).toBe('mine');
  expect(readFileSync(target, 'utf8')).toBe('precious');
});

test('a folder in the place of a lock is a coded fault', async () => {
  mkdirSync(lock);
  await expect(withLock(lock, () => undefined, { waitMs: 100 })).rejects.toMatchObject({ code: 'E_IO' });
});

test('a lock is given back when the work fails', async () => {
  await expect(
    withLock(lock, () => {
      throw new Error('work failed');
    }),
  ).rejects.toThrow('work failed');
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock in a folder that is not there is a coded fault', async () => {
  await expect(withLock(join(folder, 'no', 'lock'), () => undefined)).rejects.toMatchObject({ code: 'E_IO' });
});
