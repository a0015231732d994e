import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, linkSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';
import { assembleLauncher } from '../../scripts/pack-npm.ts';
import { copiedExecutable } from '../fixtures/copied-executable.ts';
import { PLATFORM_PACKAGE } from '../fixtures/npm-packages.ts';
import { waitFor, type Run } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const HIDE_PROC = 'mount -t tmpfs none /proc';
const canHideProc = spawnSync('unshare', ['-m', 'sh', '-c', HIDE_PROC]).status === 0;
if (!canHideProc) console.warn('Skipped: /proc cannot be hidden here.');

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

/** The packages in the layout of npm with the built executable, without npm. */
describe('the launcher of the npm package', () => {
  const folder = temporaryFolder('launcher');
  const launcher = join(folder.path, 'installed/node_modules/deed-cli/dist');
  const platformExecutable = join(folder.path, 'installed/node_modules', PLATFORM_PACKAGE, 'bin/deed');
  beforeAll(async () => {
    await assembleLauncher(launcher);
    mkdirSync(join(platformExecutable, '..'), { recursive: true });
    linkSync(await copiedExecutable(), platformExecutable);
    // A launcher without its platform package.
    await assembleLauncher(join(folder.path, 'bare/dist'));
  });
  afterAll(() => folder.dispose());

  const program = (name: string): string => join(launcher, 'bin', name);
  const start = (command: readonly string[], cwd = folder.path): ChildProcess => {
    const [first = '', ...argv] = command;
    return spawn(first, argv, { cwd, env: { PATH: process.env.PATH, HOME: folder.path } });
  };
  const run = (...command: string[]): Promise<Run> => waitFor(start(command));

  it('passes arguments, input and exit codes', async () => {
    const push = ['push', '--agent', 'a', '--request-id', 'r', '--json'];
    const event = '{"event":{"kind":"progress","message":"a \\" b $HOME"}}';
    const [unknown, agent, pushed, served] = await Promise.all([
      run(program('deed'), 'no-such-command'),
      run(program('ai-agent')),
      run(program('vybe'), ...push, event),
      waitFor(start([program('deed'), 'mcp', 'serve']), PING),
    ]);
    expect([unknown.code, agent.code]).toEqual([2, 4]);
    expect([pushed.code, pushed.envelope]).toMatchObject([0, { success: true }]);
    expect(served.stdout).toContain('"id":1');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'forwards %s and exits with the exit code of the executable',
    async (signal) => {
      const child = start([program('deed'), 'mcp', 'serve']);
      let stdout = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
      child.stdin?.write(PING);
      await expect.poll(() => stdout, { timeout: 60_000 }).toContain('"id":1');
      child.kill(signal);
      expect([await exited, stdout]).toEqual([130, expect.stringContaining('E_INTERRUPTED')]);
    },
  );

  /** Runs the four programs, which must all fail, and checks the error of each in its own format. */
  const expectStartFailure = async (command: (name: string) => string[], text: string): Promise<void> => {
    const names = ['deed', 'vybe', 'pt', 'ai-agent'];
    const runs = await Promise.all(names.map((name) => run(...command(name))));
    const [deed, vybe, pt, agent] = runs as [Run, Run, Run, Run];
    expect([deed.code, deed.envelope]).toMatchObject([
      4,
      { ok: false, error: { code: 'E_CONFIG', retryable: false } },
    ]);
    expect(deed.envelope.error?.message).toContain(text);
    expect([vybe.code, vybe.envelope]).toMatchObject([1, { success: false, error_code: 'E_CONFIG' }]);
    expect([pt.code, pt.envelope]).toMatchObject([10, { error: { code: 'INTERNAL_ERROR' } }]);
    expect([agent.code, agent.stdout, agent.stderr]).toEqual([4, '', expect.stringContaining(text)]);
    expect(runs.slice(0, 3).map(({ stderr }) => stderr)).toEqual(['', '', '']);
    expect(agent.stderr).not.toMatch(/^ +at /mu);
  };

  it('reports a missing platform package in the format of each program', async () => {
    await expectStartFailure(
      (name) => [join(folder.path, 'bare/dist/bin', name), 'context'],
      PLATFORM_PACKAGE,
    );
  });

  it('reports a deleted working directory in the format of each program', async () => {
    await expectStartFailure((name) => {
      const deleted = join(folder.path, `deleted-${name}`);
      mkdirSync(deleted);
      return ['sh', '-c', `cd '${deleted}' && rmdir '${deleted}' && exec '${program(name)}' context`];
    }, 'The working directory was deleted.');
  });

  it.runIf(canHideProc).each([
    ['the launcher', program],
    [
      'the executable, which the install script puts in its place,',
      (name: string) => join(ROOT, 'dist/bin', name),
    ],
  ])('%s reports a machine without /proc in the format of each program', async (_, pathOf) => {
    await expectStartFailure(
      (name) => ['unshare', '-m', 'sh', '-c', `${HIDE_PROC} && exec '${pathOf(name)}' context`],
      '/proc is not mounted',
    );
  });

  it('reports an executable that is being written in the format of each program', async () => {
    rmSync(platformExecutable);
    writeFileSync(platformExecutable, '#!/bin/sh\n', { mode: 0o755 });
    // Linux does not execute a file that is open for writing.
    const open = openSync(platformExecutable, 'r+');
    try {
      await expectStartFailure((name) => [program(name), 'context'], 'cannot be started (ETXTBSY)');
    } finally {
      closeSync(open);
    }
  });

  it.each(['deed', 'vybe', 'pt', 'ai-agent'])('names %s and WSL on Windows', async (name) => {
    const script = `Object.defineProperty(process, 'platform', { value: 'win32' });
      require(${JSON.stringify(join(launcher, 'launcher/launcher.cjs'))}).launch('${name}');`;
    const { code, stdout, stderr } = await run('node', '--eval', script);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toContain(`${name} does not run on Windows`);
    expect(stdout + stderr).toMatch(/wsl --install.*inside it/u);
  });
});
