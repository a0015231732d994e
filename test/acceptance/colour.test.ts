import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;
const ESCAPE = '\u001B';

type Environment = Readonly<Record<string, string>>;

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const environment = (env: Environment) => ({
  PATH: process.env.PATH,
  HOME: home.path,
  DEED_HOME: home.path,
  TERM: 'xterm-256color',
  ...env,
});

/** Whether the text output of a command has escape sequences on a terminal. */
function onTerminal(argv: readonly string[], env: Environment): boolean {
  const words = [...executable(), ...argv].map((word) => `'${word}'`).join(' ');
  const { stdout } = spawnSync('script', ['-qec', words, '/dev/null'], {
    cwd: home.path,
    env: environment(env),
    encoding: 'utf8',
  });
  expect(stdout).toContain(argv.includes('doctor') ? 'runtime' : 'E_USAGE');
  return stdout.includes(ESCAPE);
}

function inPipe(env: Environment): boolean {
  const [program, ...first] = executable();
  const { stdout } = spawnSync(program, [...first, 'doctor', '--format', 'text'], {
    cwd: home.path,
    env: environment(env),
    encoding: 'utf8',
  });
  expect(stdout).toContain('runtime');
  return stdout.includes(ESCAPE);
}

const REPORT = ['doctor', '--format', 'text'];
const USAGE_ERROR = ['no-such-command', '--format', 'text'];

describe.runIf(hasScript)('on a terminal', () => {
  it.each([REPORT, USAGE_ERROR])('%s is coloured', (...argv) => {
    expect(onTerminal(argv, {})).toBe(true);
  });

  it.each<Environment>([
    { NO_COLOR: '1' },
    { NO_COLOR: '0' },
    { NO_COLOR: 'false', FORCE_COLOR: '1' },
    { TERM: 'dumb' },
    { CLICOLOR: '0' },
    { FORCE_COLOR: '0' },
  ])('nothing is coloured with %j', (env) => {
    expect([onTerminal(REPORT, env), onTerminal(USAGE_ERROR, env)]).toEqual([false, false]);
  });

  it('an empty NO_COLOR is ignored', () => {
    expect(onTerminal(REPORT, { NO_COLOR: '' })).toBe(true);
  });
});

describe('in a pipe', () => {
  it.each<Environment>([
    {},
    { CLICOLOR: '1' },
    { FORCE_COLOR: '' },
    { NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' },
  ])('nothing is coloured with %j', (env) => {
    expect(inPipe(env)).toBe(false);
  });

  it.each<Environment>([{ FORCE_COLOR: '1' }, { FORCE_COLOR: '3' }, { CLICOLOR_FORCE: '1' }])(
    'a report is coloured with %j',
    (env) => {
      expect(inPipe(env)).toBe(true);
    },
  );

  it('JSON is never coloured', () => {
    const [program, ...first] = executable();
    const env = environment({ FORCE_COLOR: '1' });
    const { stdout } = spawnSync(program, [...first, 'context'], { cwd: home.path, env, encoding: 'utf8' });
    expect([JSON.parse(stdout).ok, stdout.includes(ESCAPE)]).toEqual([true, false]);
  });
});
