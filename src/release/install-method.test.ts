import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identifyInstall, readPackageVersion } from './install-method.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-install-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content = ''): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

function putPackage(path: string): { packageRoot: string; script: string } {
  put(join(path, 'package.json'), '{"name":"deed-cli","version":"0.1.0"}');
  return { packageRoot: join(root, path), script: put(join(path, 'dist/bin/deed.js')) };
}

test('a compiled executable is standalone, also through a link and inside node_modules', () => {
  const executable = put('app/node_modules/.bin/real');
  symlinkSync(executable, join(root, 'deed'));
  expect(identifyInstall({ path: join(root, 'deed'), kind: 'standalone' })).toEqual({
    method: 'standalone',
    executable,
  });
});

test('a package below lib/node_modules is a global npm install', () => {
  const { packageRoot, script } = putPackage('usr/lib/node_modules/deed-cli');
  mkdirSync(join(root, 'usr/bin'));
  symlinkSync(script, join(root, 'usr/bin/deed'));
  expect(identifyInstall({ path: join(root, 'usr/bin/deed'), kind: 'node' })).toEqual({
    method: 'npm-global',
    packageRoot,
    prefix: join(root, 'usr'),
  });
});

test('a package in the node_modules of a project is a local npm install, even if the project is called lib', () => {
  const { packageRoot, script } = putPackage('lib/node_modules/deed-cli');
  put('lib/package.json', '{"name":"lib"}');
  expect(identifyInstall({ path: script, kind: 'node' })).toEqual({
    method: 'npm-local',
    packageRoot,
    project: join(root, 'lib'),
  });
});

test('a checkout is a source install', () => {
  const { packageRoot, script } = putPackage('code/deed');
  expect(identifyInstall({ path: script, kind: 'node' })).toEqual({ method: 'source', root: packageRoot });
});

test('a script without its package is a source install too', () => {
  const script = put('somewhere/deed.js');
  expect(identifyInstall({ path: script, kind: 'node' })).toEqual({
    method: 'source',
    root: join(root, 'somewhere'),
  });
});

test('installs of other managers are told apart', () => {
  const places = {
    pnpm: 'share/pnpm/global/5/.pnpm/deed-cli@0.1.0/node_modules/deed-cli',
    bun: '.bun/install/global/node_modules/deed-cli',
    yarn: '.config/yarn/global/node_modules/deed-cli',
    npx: '.npm/_npx/abc/node_modules/deed-cli',
  };
  for (const [method, place] of Object.entries(places)) {
    const { packageRoot, script } = putPackage(place);
    expect(identifyInstall({ path: script, kind: 'node' })).toEqual({ method, packageRoot });
  }
});

test('the version of a package is read as it is now', () => {
  const { packageRoot } = putPackage('p');
  expect(readPackageVersion(packageRoot)).toBe('0.1.0');
  expect(readPackageVersion(join(root, 'nowhere'))).toBeUndefined();
  put('p/package.json', 'damaged');
  expect(readPackageVersion(packageRoot)).toBeUndefined();
});
