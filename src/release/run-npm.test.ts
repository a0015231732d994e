import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';
import { failure } from '../../test/fixtures/update-machine.ts';
import { viewNpmVersion } from './npm-manager.ts';
import { runNpm } from './run-npm.ts';
import type { UpdateContext } from './update-context.ts';

const folder = temporaryFolder('run-npm');
afterAll(() => folder.dispose());

const call = {
  doing: 'install 1.2.0',
  cwd: folder.path,
  timeoutMs: 10_000,
  graceMs: 200,
  fallback: 'E_IO',
} as const;

/** Places a script instead of npm that prints a text and exits with a code. */
function replaceNpm(text: string, exitCode: number): UpdateContext {
  const npm = join(folder.path, 'npm');
  writeFileSync(npm, `#!/bin/sh\nprintf '%s' '${text}'\nexit ${exitCode}\n`);
  chmodSync(npm, 0o755);
  const context = {
    env: { PATH: `${folder.path}:/usr/bin:/bin` },
    signal: new AbortController().signal,
    timeoutMs: 1000,
  };
  return context as unknown as UpdateContext;
}

function npmThatPrints(text: string, exitCode: number): Promise<unknown> {
  return runNpm(['npm', 'install'], call, replaceNpm(text, exitCode));
}

test('the JSON output of npm is returned', async () => {
  expect(await npmThatPrints('"1.2.0"', 0)).toBe('1.2.0');
});

test.each([
  ['npm 11', '"1.2.0"'],
  ['npm 12', '["1.2.0"]'],
])('the version that %s prints is found', async (_, answer) => {
  const install = { method: 'npm-global', packageRoot: folder.path, prefix: folder.path } as const;
  expect(await viewNpmVersion(install, undefined, replaceNpm(answer, 0))).toBe('1.2.0');
});

test.each([
  ['E404', 'E_NOT_FOUND'],
  ['E401', 'E_AUTH'],
  ['E403', 'E_FORBIDDEN'],
  ['E429', 'E_RATE_LIMITED'],
  ['E500', 'E_SERVER'],
  ['ECONNREFUSED', 'E_NETWORK'],
  ['EIDLETIMEOUT', 'E_TIMEOUT'],
  ['ETARGET', 'E_NOT_FOUND'],
  ['EINTEGRITY', 'E_INTEGRITY'],
  ['EACCES', 'E_FORBIDDEN'],
  ['EBADPLATFORM', 'E_CONFIG'],
  ['ENEEDAUTH', 'E_AUTH'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'E_CONFIG'],
  ['EUNHEARDOF', 'E_IO'],
])('the npm error %s is %s', async (reason, code) => {
  const error = JSON.stringify({ error: { code: reason, summary: 'No.' } });
  const fault = await failure(npmThatPrints(error, 1));
  expect([fault.code, fault.message, fault.details]).toEqual([
    code,
    `npm could not install 1.2.0 (${reason}).`,
    { reason, npm_exit_code: 1, npm_summary: 'No.', _untrusted: ['npm_summary'] },
  ]);
});

test('a failure without an error document has the fallback code', async () => {
  const fault = await failure(npmThatPrints('npm is broken', 7));
  expect([fault.code, fault.details.reason, fault.details.npm_exit_code]).toEqual(['E_IO', 'unknown', 7]);
});
