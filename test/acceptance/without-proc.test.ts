import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';

/**
 * A machine without /proc. The C library reads one line of it, the stack range of the first thread, and the runtime aborts without that
 * line, so the executable refuses to start. The other tests provide it, with the addresses of a process without randomization.
 */
const STACK = '7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]';
const HIDE_PROC = 'mount -t tmpfs none /proc';
const KEEP_STACK = `mkdir /proc/self && echo '${STACK}' > /proc/self/maps`;

const canHide =
  process.getuid?.() === 0 &&
  process.arch === 'x64' &&
  spawnSync('unshare', ['-m', 'sh', '-c', `${HIDE_PROC} && ${KEEP_STACK} && setarch -R true`]).status === 0;
if (!canHide) console.warn('Skipped: /proc cannot be hidden here.');

describe.runIf(canHide)('without /proc', () => {
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.dispose());

  const run = (name: Parameters<typeof executable>[0], argv: readonly string[], prepare = KEEP_STACK) => {
    const script = `${HIDE_PROC} && ${prepare} && exec setarch -R "$@"`;
    const { status, signal, stdout, stderr } = spawnSync(
      'unshare',
      ['-m', 'sh', '-c', script, 'sh', ...executable(name), ...argv],
      { cwd: '/', env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path }, encoding: 'utf8' },
    );
    return { code: status ?? signal, stdout, stderr };
  };

  it.each([
    ['deed', ['context']],
    ['deed', ['doctor']],
    ['deed', ['work', 'list']],
    ['deed', ['hook', 'install', '--dry-run']],
    ['vybe', ['push', '--agent', 'a', '--request-id', 'r', '--json', '{"event":{"kind":"k","message":"m"}}']],
    ['vybe', ['resume', '--agent', 'a', '--request-id', 's']],
    ['pt', ['agent', 'capabilities']],
    ['ai-agent', ['--help']],
  ] as const)('%s %j works', (name, argv) => {
    const { code, stdout, stderr } = run(name, argv);
    expect([code, stdout === '', stderr]).toEqual([0, false, '']);
  });

  it.each([
    ['snapshot', '--window', '50ms'],
    ['plan', '--window', '50ms'],
    ['explain', '1'],
  ])('pt agent %s reports that /proc is missing', (...argv) => {
    const { code, stdout } = run('pt', ['agent', ...argv]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      10,
      { error: { message: '/proc contains no processes.' } },
    ]);
  });

  it('deed triage reports it with its own code', () => {
    const { code, stdout } = run('deed', ['triage', 'plan']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      4,
      { ok: false, error: { code: 'E_CONFIG', details: { hint: expect.stringContaining('mount -t proc') } } },
    ]);
  });

  it('without the stack line, the executable answers before the runtime aborts', () => {
    const { code, stdout } = run('deed', ['context'], 'true');
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { ok: false, error: { code: 'E_CONFIG' } }]);
  });
});
