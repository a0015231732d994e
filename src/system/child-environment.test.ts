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
  NODE_EXTRA_CA_CERTS: '/etc/ssl/proxy.pem',
};

/** Secrets that are common in the environments of users and build machines. */
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

/** Variables that make a program load additional code. */
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

test('a child gets the variables it needs, without secrets and code loaders', () => {
  expect(childEnvironment({ ...HARMLESS, ...SECRETS, ...LOADERS })).toEqual(HARMLESS);
});

test('a variable that looks like an allowed one is not passed on', () => {
  expect(childEnvironment({ path: 'x', PATHS: 'x', HOME_TOKEN: 'x', MY_LC_ALL: 'x', LC: 'x' })).toEqual({});
});

test('variables added by name are passed on and take precedence', () => {
  const added = { ANTHROPIC_API_KEY: 'for this child', HOME: '/elsewhere' };
  expect(childEnvironment(HARMLESS, added)).toEqual({ ...HARMLESS, ...added });
});

/** Ordinary programs need search paths, so a caller may pass these on by name. */
const { NODE_PATH, LD_LIBRARY_PATH, PYTHONPATH, ...ALWAYS_DROPPED } = LOADERS;

test('code loaders are never passed on, neither by name nor with the whole environment', () => {
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

test('an undefined variable is omitted', () => {
  expect(childEnvironment({ PATH: undefined, HOME: '' }, { TERM: undefined })).toEqual({ HOME: '' });
});

test('a real child gets exactly this environment', async () => {
  const env = childEnvironment({ ...HARMLESS, ...SECRETS, ...LOADERS });
  const { stdout } = await runCommand(['/usr/bin/env'], { cwd: '/', env, timeoutMs: 10_000 });
  expect(stdout).not.toMatch(/hush|evil/u);
  expect(stdout).toContain('PATH=/usr/bin:/bin\n');
});
