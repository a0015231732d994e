import { expect, test } from 'vitest';
import { childEnvironment, inheritEnvironment } from './child-environment.ts';
import { runCommand } from './run-command.ts';

const HARMLESS = {
  PATH: '/usr/bin:/bin',
  HOME: '/home/me',
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  TZ: 'UTC',
  all_proxy: 'http://proxy.test',
};

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
  NODE_REPL_EXTERNAL_MODULE: '/tmp/evil.cjs',
  BUN_OPTIONS: '--preload /tmp/evil.ts',
  BUN_BE_BUN: '1',
  BUN_INSPECT: 'ws://evil:9229/x',
  BUN_INSPECT_CONNECT_TO: 'ws://evil:9229',
  BUN_INSPECT_PRELOAD: '/tmp/evil.ts',
  BUN_JSC_useDollarVM: '1',
  LD_PRELOAD: '/tmp/evil.so',
  LD_LIBRARY_PATH: '/tmp/evil',
  DYLD_INSERT_LIBRARIES: '/tmp/evil.dylib',
  LD_AUDIT: '/tmp/evil.so',
  BASH_ENV: '/tmp/evil.sh',
  ENV: '/tmp/evil.sh',
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

/** Folders to look in are needed by ordinary programs, so whoever names them may pass them on. */
const { NODE_PATH, LD_LIBRARY_PATH, PYTHONPATH, ...ALWAYS_DROPPED } = LOADERS;

test('what loads code is not passed on even when it is added, nor where everything else is', () => {
  expect(childEnvironment({}, { ...ALWAYS_DROPPED, KEY: 'x' })).toEqual({ KEY: 'x' });
  expect(inheritEnvironment({ ...HARMLESS, ...SECRETS, ...ALWAYS_DROPPED })).toEqual({
    ...HARMLESS,
    ...SECRETS,
  });
  expect(inheritEnvironment({ NODE_PATH, LD_LIBRARY_PATH, PYTHONPATH, TERM: undefined })).toEqual({
    NODE_PATH,
    LD_LIBRARY_PATH,
    PYTHONPATH,
  });
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
