import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** The C library for arm64 of Debian's package libc6-arm64-cross. */
const LIBRARIES = '/usr/aarch64-linux-gnu';
const EMULATOR = ['qemu-aarch64', '-L', LIBRARIES] as const;

const canEmulate =
  process.arch === 'x64' &&
  existsSync(LIBRARIES) &&
  spawnSync(EMULATOR[0], ['--version']).error === undefined;
if (LONG && !canEmulate) console.warn('Skipped: qemu-user and libc6-arm64-cross are not installed.');

// The emulated processor runs every instruction of the executable; system calls are those of this machine.
describe.runIf(LONG && canEmulate)('the executable for Linux arm64', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(() => {
    folder = temporaryFolder('arm64');
    const build = ['scripts/build-executable.ts', 'linux-arm64', join(folder.path, 'deed')];
    execFileSync(join(ROOT, 'node_modules/.bin/node'), build, { cwd: ROOT, stdio: 'ignore' });
    symlinkSync('deed', join(folder.path, 'vybe'));
  });
  afterAll(() => folder.dispose());

  const run = (name: 'deed' | 'vybe', argv: readonly string[], prefix: readonly string[] = []) => {
    const [program = '', ...args] = [...prefix, ...EMULATOR, join(folder.path, name), ...argv];
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder.path, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([expect.any(Number), '']);
    return { code: status, answer: JSON.parse(stdout) as unknown };
  };

  it('writes to its store and reads it again', () => {
    const event = ['--json', '{"event":{"kind":"k","message":"m"}}'];
    expect(run('vybe', ['push', '--agent', 'a', '--request-id', 'r', ...event])).toMatchObject({
      code: 0,
      answer: { success: true, data: { event_id: 1 } },
    });
    expect(run('deed', ['audit', 'verify'])).toMatchObject({ code: 0, answer: { data: { valid: true } } });
  });

  it('looks at processes', () => {
    const { code, answer } = run('deed', ['triage', 'plan', '--window', '60ms']);
    expect([code, answer]).toMatchObject([0, { ok: true }]);
  });

  it.runIf(process.getuid?.() === 0)('answers without /proc', () => {
    const withoutProc = [
      'unshare',
      '--mount',
      '--propagation=private',
      'sh',
      '-c',
      'umount -l /proc && exec "$@"',
      'sh',
    ];
    expect(run('deed', ['context'], withoutProc)).toMatchObject({
      code: 4,
      answer: {
        ok: false,
        error: { code: 'E_CONFIG', message: expect.stringContaining('/proc is not mounted') },
      },
    });
  });
});
