import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand, type RunCommandOptions } from './run-command.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const options = (more: Partial<RunCommandOptions> = {}): RunCommandOptions => ({
  cwd: folder,
  env: { PATH: '/usr/bin:/bin' },
  timeoutMs: 10_000,
  ...more,
});
const sh = (script: string, more?: Partial<RunCommandOptions>): ReturnType<typeof runCommand> =>
  runCommand(['sh', '-c', script], options(more));

test('a finished program returns its exit code and both outputs', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

test('arguments are passed to the program unchanged', async () => {
  const outcome = await runCommand(['printf', '%s|', '$HOME; echo no', 'a b'], options());
  expect(outcome.stdout).toBe('$HOME; echo no|a b|');
});

test('the child gets only the environment that was passed', async () => {
  const { stdout } = await runCommand(['/usr/bin/env'], options({ env: { PATH: '/usr/bin', ONLY: 'this' } }));
  expect(stdout.trim().split('\n').sort()).toEqual(['ONLY=this', 'PATH=/usr/bin']);
});

test('a missing program is a configuration fault', async () => {
  await expect(runCommand(['no-such-program'], options())).rejects.toMatchObject({
    code: 'E_CONFIG',
    details: { program: 'no-such-program', reason: 'ENOENT' },
  });
});

test('output beyond the limit is dropped and the child still finishes', async () => {
  const { exitCode, stdout } = await sh('head -c 300000 /dev/zero | tr "\\0" x; exit 0', {
    maxOutputBytes: 1000,
  });
  expect([exitCode, stdout.length]).toEqual([0, 1000]);
});

test('a timeout terminates the whole process group', async () => {
  await expect(sh('sleep 60 & echo $! > child; wait', { timeoutMs: 300 })).rejects.toMatchObject({
    code: 'E_TIMEOUT',
  });
  await expectGone();
});

test('an abort terminates the whole process group, and a child that ignores SIGTERM is killed', async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  const running = sh('trap "" TERM; sleep 60 & echo $! > child; while true; do sleep 0.1; done', {
    signal: abort.signal,
    graceMs: 200,
  });
  await expect(running).rejects.toMatchObject({ code: 'E_INTERRUPTED' });
  await expectGone();
});

test.each([
  ['times out', 'sleep 60', 500, 'E_TIMEOUT'],
  ['exits by itself', 'exit 0', 10_000, undefined],
])('a detached descendant is killed with a marked child that %s', async (_, then, timeoutMs, code) => {
  // Forked twice and in its own session, it is neither a descendant of the child nor in its group.
  const script = `(setsid sh -c 'echo $$ > child; exec sleep 60' >/dev/null 2>&1 &); while [ ! -s child ]; do sleep 0.01; done; ${then}`;
  const mark = { name: 'TEST_MARK', value: folder };
  const outcome = await sh(script, { timeoutMs, mark }).catch((error: unknown) => error);
  expect(outcome).toMatchObject(code === undefined ? { exitCode: 0 } : { code });
  await expectGone();
});

test('nothing is started after the signal has aborted', async () => {
  await expect(sh('echo > started', { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'E_INTERRUPTED',
  });
  expect(() => readFileSync(join(folder, 'started'))).toThrow();
});

test('a grandchild that keeps the pipe open does not delay the result', async () => {
  const started = performance.now();
  const { stdout } = await sh('sleep 5 & echo done');
  expect(stdout).toBe('done\n');
  expect(performance.now() - started).toBeLessThan(4000);
});

test('the child does not outlive a process that exits without waiting for it', async () => {
  const script = `
    import { runCommand } from ${JSON.stringify(new URL('run-command.ts', import.meta.url).href)};
    void runCommand(['sh', '-c', 'echo $$ > child; sleep 60'], { cwd: '.', env: process.env, timeoutMs: 60000 });
    setTimeout(() => process.exit(), 300);
  `;
  await runCommand([process.execPath, '--input-type=module', '-e', script], options());
  await expectGone();
});

async function expectGone(): Promise<void> {
  const pid = Number(readFileSync(join(folder, 'child'), 'utf8'));
  await vi.waitFor(() => expect(processState(pid)).toMatch(/^[ZX]?$/u));
}

/** The state letter of a process; empty when it does not exist. */
function processState(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0] ?? '';
  } catch {
    return '';
  }
}
