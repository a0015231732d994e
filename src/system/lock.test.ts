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

test('processes that count under a lock lose no increment', { timeout: TIMEOUT_MS }, async () => {
  const processes = LONG ? 8 : 4;
  const counter = join(folder, 'counter');
  writeFileSync(counter, '0');
  const times = LONG ? 500 : 40;
  const children = Array.from({ length: processes }, () =>
    startScript('count-under-lock', [lock, counter, String(times)]),
  );
  expect(await Promise.all(children.map(ended))).toEqual(Array(processes).fill(0));
  expect(readFileSync(counter, 'utf8')).toBe(String(processes * times));
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

test('waiting for a held lock times out with the pid of its holder', async () => {
  const holder = startScript('hold-lock', [lock]);
  await firstLine(holder);
  const refused = withLock(lock, () => undefined, { waitMs: 50 });
  await expect(refused).rejects.toMatchObject({
    code: 'E_TIMEOUT',
    details: { path: lock, holder_pid: String(holder.pid) },
  });
  await killNow(holder);
});

test('the lock of a killed process can be taken', { timeout: TIMEOUT_MS }, async () => {
  for (let round = 0; round < (LONG ? 50 : 1); round += 1) {
    const holder = startScript('hold-lock', [lock]);
    await firstLine(holder);
    await killNow(holder);
    expect(existsSync(lock)).toBe(true);
    expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('the lock of a zombie can be taken', async () => {
  const script = join(import.meta.dirname, '../../test/fixtures/processes/hold-lock.ts');
  // The parent becomes a program that never waits for its children.
  const parent = spawn(
    'bash',
    ['-c', '"$0" "$1" "$2" & echo $!; exec sleep 600', process.execPath, script, lock],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  for await (const chunk of parent.stdout) {
    output += String(chunk);
    if (output.includes('held')) break;
  }
  const pid = Number(/\d+/u.exec(output)?.[0]);
  process.kill(pid, 'SIGKILL');
  expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
  expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) Z /u);
  await killNow(parent);
});

test(
  'processes that find the same dead holder still run one at a time',
  { timeout: TIMEOUT_MS },
  async () => {
    for (let round = 0; round < (LONG ? 50 : 1); round += 1) {
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
  },
);

const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
if (!canUnshare) process.stderr.write('Skipped: pid namespaces are not available.\n');

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
    expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
  },
);

test('a lock of another machine is valid for ten minutes', async () => {
  const record = { pid: 99_999_999, startedAt: 'other-boot:1', nonce: 'x', space: 'other-machine' };
  writeFileSync(lock, JSON.stringify(record));
  await expect(withLock(lock, () => 'mine', { waitMs: 50 })).rejects.toMatchObject({ code: 'E_TIMEOUT' });
  const old = Date.now() / 1000 - 11 * 60;
  utimesSync(lock, old, old);
  expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
});

test('a lock from before a reboot is broken immediately', async () => {
  const record = { pid: process.pid, startedAt: 'other-boot:1', nonce: 'x', space: processSpace() };
  writeFileSync(lock, JSON.stringify(record));
  expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
});

test.each([
  ['nothing', ''],
  ['a truncated record', '{"pid":12,"star'],
  ['a JSON value that is not a record', 'null'],
  ['a record without a nonce', '{"pid":1,"startedAt":""}'],
  ['a nonce with a path traversal', '{"pid":99999999,"startedAt":"","nonce":"../elsewhere","space":""}'],
  [
    'the pid of a process group',
    JSON.stringify({ pid: 0, startedAt: '', nonce: 'x', space: processSpace() }),
  ],
])('a lock with %s is stale and can be taken', async (_what, content) => {
  writeFileSync(lock, content);
  expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
  expect(readdirSync(folder)).toEqual([]);
});

test('a link in place of a lock is removed, and its target is unchanged', async () => {
  const target = join(folder, 'target');
  symlinkSync(target, lock);
  expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
  writeFileSync(target, 'precious');
  symlinkSync(target, lock);
  expect(await withLock(lock, () => 'mine', { waitMs: 20_000 })).toBe('mine');
  expect(readFileSync(target, 'utf8')).toBe('precious');
});

test('a folder in place of a lock is a fault with a code', async () => {
  mkdirSync(lock);
  await expect(withLock(lock, () => undefined, { waitMs: 100 })).rejects.toMatchObject({ code: 'E_IO' });
});

test('a lock is released when the action fails', async () => {
  await expect(
    withLock(lock, () => {
      throw new Error('work failed');
    }),
  ).rejects.toThrow('work failed');
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock in a missing folder is a fault with a code', async () => {
  await expect(withLock(join(folder, 'no', 'lock'), () => undefined)).rejects.toMatchObject({ code: 'E_IO' });
});
