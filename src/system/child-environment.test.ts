import { expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';
import { runCommand } from './run-command.ts';

const HARMLESS = { PATH: '/usr/bin:/bin', HOME: '/home/me', LANG: 'C.UTF-8', LC_ALL: 'C', TZ: 'UTC' };

/** What lies around in the environments of people and build machines. */
const SECRETS = {
  ANTHROPIC_API_KEY: 'hush',
  OPENAI_API_KEY: 'hush',
  AWS_ACCESS_KEY_ID: 'hush',
  AWS_SECRET_ACCESS_KEY: 'hush',
  AWS_SESSION_TOKEN: 'hush',
  GITHUB_TOKEN: 'hush',
  NPM_TOKEN: 'hush',
  DEED_DATABASE_URL: 'postgres://me:hush@localhost/deed',
  SSH_AUTH_SOCK: '/run/hush',
};

/** What makes a program load code that its own files do not name. */
const LOADERS = {
  NODE_OPTIONS: '--require /tmp/evil.cjs',
  NODE_PATH: '/tmp/evil',
  BUN_OPTIONS: '--preload /tmp/evil.ts',
  LD_PRELOAD: '/tmp/evil.so',
  LD_LIBRARY_PATH: '/tmp/evil',
  DYLD_INSERT_LIBRARIES: '/tmp/evil.dylib',
  BASH_ENV: '/tmp/evil.sh',
  PYTHONPATH: '/tmp/evil',
};

test('a child gets what it needs to run, and no secret and no code', () => {
  expect(childEnvironment({ ...HARMLESS, ...SECRETS, ...LOADERS })).toEqual(HARMLESS);
});

test('a variable that looks like an allowed one is not passed on', () => {
  expect(childEnvironment({ path: 'x', PATHS: 'x', HOME_TOKEN: 'x', MY_LC_ALL: 'x', LC: 'x' })).toEqual({});
});

test('what the caller adds by name is passed on and wins', () => {
  const added = { ANTHROPIC_API_KEY: 'for this child', HOME: '/elsewhere' };
  expect(childEnvironment(HARMLESS, added)).toEqual({ ...HARMLESS, ...added });
});

test('options that load code into a runtime are not passed on even when they are added', () => {
  expect(childEnvironment({}, LOADERS)).not.toHaveProperty('NODE_OPTIONS');
  expect(childEnvironment({}, LOADERS)).not.toHaveProperty('BUN_OPTIONS');
});

test('a variable without a value is left out', () => {
  expect(childEnvironment({ PATH: undefined, HOME: '' }, { TERM: undefined })).toEqual({ HOME: '' });
});

test('a real child sees exactly that', async () => {
  const env = childEnvironment({ ...HARMLESS, ...SECRETS, ...LOADERS });
  const { stdout } = await runCommand(['/usr/bin/env'], { cwd: '/', env, timeoutMs: 10_000 });
  expect(stdout).not.toMatch(/hush|evil/u);
  expect(stdout).toContain('PATH=/usr/bin:/bin\n');
});
