import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

test('the end of a long output is kept on request', async () => {
  const { stdout, stderr } = await sh('seq 1 100000; seq 1 100000 >&2', {
    maxOutputBytes: 13,
    keepOutput: 'tail',
  });
  expect([stdout, stderr]).toEqual(['99999\n100000\n', '99999\n100000\n']);
});

test('a timeout terminates the whole process group', async () => {
  const { outcome, pid } = await withTimeout('sleep 60 & echo $! > child; wait');
  expect(outcome).toMatchObject({ code: 'E_TIMEOUT' });
  await expectGone(pid);
});

test('an abort terminates the whole process group, and a child that ignores SIGTERM is killed', async () => {
  const abort = new AbortController();
  const running = sh('trap "" TERM; sleep 60 & echo $! > child; while true; do sleep 0.1; done', {
    signal: abort.signal,
    timeoutMs: 60_000,
    graceMs: 200,
  });
  const interrupted = expect(running).rejects.toMatchObject({ code: 'E_INTERRUPTED' });
  const pid = await writtenPid();
  abort.abort();
  await interrupted;
  await expectGone(pid);
});

describe('a detached descendant is killed with a marked child that', () => {
  // Forked twice and in its own session, it is neither a descendant of the child nor in its group.
  const detach = `(setsid sh -c 'echo $$ > child; exec sleep 60' >/dev/null 2>&1 &); while [ ! -s child ]; do sleep 0.01; done`;
  const mark = () => ({ name: 'TEST_MARK', value: folder });

  test('times out', async () => {
    const { outcome, pid } = await withTimeout(`${detach}; sleep 60`, { mark: mark() });
    expect(outcome).toMatchObject({ code: 'E_TIMEOUT' });
    await expectGone(pid);
  });

  test('exits by itself', async () => {
    expect(await sh(detach, { timeoutMs: 60_000, mark: mark() })).toMatchObject({ exitCode: 0 });
    await expectGone(await writtenPid());
  });
});

test('nothing is started after the signal has aborted', async () => {
  await expect(sh('echo > started', { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'E_INTERRUPTED',
  });
  expect(() => readFileSync(join(folder, 'started'))).toThrow();
});

test('a grandchild that keeps the pipe open does not delay the result', async () => {
  const { stdout } = await sh('sleep 60 & echo $! > child; echo done', { timeoutMs: 60_000 });
  expect(stdout).toBe('done\n');
  // The result came before the grandchild had exited.
  const pid = await writtenPid();
  expect(processState(pid)).toMatch(/^[RS]$/u);
  process.kill(pid, 'SIGKILL');
});

test('the child does not outlive a process that exits without waiting for it', async () => {
  const script = `
    import { runCommand } from ${JSON.stringify(new URL('run-command.ts', import.meta.url).href)};
    import { statSync } from 'node:fs';
    void runCommand(['sh', '-c', 'echo $$ > child; sleep 60'], { cwd: '.', env: process.env, timeoutMs: 60000 });
    setInterval(() => statSync('child', { throwIfNoEntry: false })?.size > 0 && process.exit(), 5);
  `;
  await runCommand([process.execPath, '--input-type=module', '-e', script], options({ timeoutMs: 60_000 }));
  await expectGone(await writtenPid());
});

/** The pid that a script has written to the file `child`; undefined before that. */
function readPid(): number | undefined {
  try {
    const text = readFileSync(join(folder, 'child'), 'utf8');
    return text.endsWith('\n') ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

function writtenPid(): Promise<number> {
  return vi.waitUntil(readPid, { timeout: 60_000, interval: 5 });
}

/** Runs a script until it times out after it has written a pid; on a slow machine it gets more time. */
async function withTimeout(
  script: string,
  more?: Partial<RunCommandOptions>,
): Promise<{ readonly outcome: unknown; readonly pid: number }> {
  for (let timeoutMs = 300; timeoutMs < 60_000; timeoutMs *= 3) {
    const outcome = await sh(script, { ...more, timeoutMs }).catch((error: unknown) => error);
    const pid = readPid();
    if (pid !== undefined) return { outcome, pid };
  }
  throw new Error('the script wrote no pid');
}

async function expectGone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(processState(pid)).toMatch(/^[ZX]?$/u), { timeout: 20_000 });
}

/** The state letter of a process; empty when it does not exist. */
function processState(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0] ?? '';
  } catch {
    return '';
  }
}
