import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { firstLine, killNow } from '../../test/fixtures/start-node.ts';
import { identifyProcess, isSameProcessAlive } from './process-identity.ts';

test('a process is identified while it runs, and not after it exits', async () => {
  const child = spawn('sleep', ['600']);
  const identity = identifyProcess(child.pid ?? 0);
  expect(identity?.pid).toBe(child.pid);
  expect(isSameProcessAlive(identity ?? { pid: 0, startedAt: '' })).toBe(true);
  await killNow(child);
  expect(identifyProcess(child.pid ?? 0)).toBeUndefined();
  expect(isSameProcessAlive(identity ?? { pid: 0, startedAt: '' })).toBe(false);
});

test('another process with the same pid is not the same', () => {
  const own = identifyProcess(process.pid);
  expect(own?.startedAt).toMatch(/^[0-9a-f-]{36}:\d+$/u);
  expect(isSameProcessAlive({ pid: process.pid, startedAt: `${own?.startedAt}1` })).toBe(false);
  expect(isSameProcessAlive({ pid: process.pid, startedAt: 'another-boot:1' })).toBe(false);
});

test('a process with an unknown start time counts as the same', () => {
  expect(isSameProcessAlive({ pid: process.pid, startedAt: '' })).toBe(true);
});

test.each([0, -1, 1.5, Number.NaN, 2 ** 40])('%d is not a process', (pid) => {
  expect(identifyProcess(pid)).toBeUndefined();
  expect(isSameProcessAlive({ pid, startedAt: '' })).toBe(false);
});

test('a zombie is not alive', async () => {
  const parent = spawn('bash', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(await firstLine(parent));
  const identity = identifyProcess(pid);
  // Until exec, the shell would reap its child.
  while (readFileSync(`/proc/${parent.pid}/comm`, 'latin1') !== 'sleep\n');
  process.kill(pid, 'SIGKILL');
  while (!readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z '));
  expect(identity).toBeDefined();
  expect(identifyProcess(pid)).toBeUndefined();
  await killNow(parent);
});

test('a name with spaces and parentheses does not shift the start time', async () => {
  const child = spawn('bash', ['-c', 'exec -a x cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const renamed = spawn(
    process.execPath,
    ['-e', 'process.title = "a) R 1 (b"; console.log(1); setInterval(() => 0, 1e6)'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await firstLine(renamed);
  const started = identifyProcess(renamed.pid ?? 0)?.startedAt.split(':')[1];
  const before = identifyProcess(child.pid ?? 0)?.startedAt.split(':')[1];
  expect(Math.abs(Number(started) - Number(before))).toBeLessThan(1000);
  await killNow(renamed);
  await killNow(child);
});
