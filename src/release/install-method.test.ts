import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identifyInstall } from './install-method.ts';
import { readPackageVersion } from './read-package.ts';

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

function putPackage(path: string): { packageRoot: string; executable: string } {
  put(join(path, 'package.json'), '{"name":"deed-cli","version":"0.1.0"}');
  return { packageRoot: join(root, path), executable: put(join(path, 'dist/bin/deed')) };
}

function putPlatformPackage(modules: string): string {
  put(join(modules, '@deed-cli/linux-x64/package.json'), '{"name":"@deed-cli/linux-x64","version":"0.1.0"}');
  return put(join(modules, '@deed-cli/linux-x64/bin/deed'));
}

test('a file outside a package is standalone, also through a link and inside node_modules', () => {
  const executable = put('app/node_modules/.bin/real');
  symlinkSync(executable, join(root, 'deed'));
  expect(identifyInstall(join(root, 'deed'))).toEqual({ method: 'standalone', executable });
});

test('an executable that a user put into a package or a checkout is still standalone', () => {
  putPackage('lib/node_modules/deed-cli');
  for (const path of [
    'lib/node_modules/deed-cli/deed',
    'lib/node_modules/other/dist/bin/deed',
    'x/bin/deed',
  ]) {
    const executable = put(path);
    expect(identifyInstall(executable)).toEqual({ method: 'standalone', executable });
  }
});

test('a package below lib/node_modules is a global npm install', () => {
  const { packageRoot, executable } = putPackage('usr/lib/node_modules/deed-cli');
  mkdirSync(join(root, 'usr/bin'));
  symlinkSync(executable, join(root, 'usr/bin/deed'));
  expect(identifyInstall(join(root, 'usr/bin/deed'))).toEqual({
    method: 'npm-global',
    packageRoot,
    prefix: join(root, 'usr'),
  });
});

test('an executable that the launcher starts in a platform package belongs to the package that depends on it', () => {
  const { packageRoot } = putPackage('usr/lib/node_modules/deed-cli');
  const nested = putPlatformPackage('usr/lib/node_modules/deed-cli/node_modules');
  expect(identifyInstall(nested)).toEqual({ method: 'npm-global', packageRoot, prefix: join(root, 'usr') });
  const local = putPackage('project/node_modules/deed-cli');
  expect(identifyInstall(putPlatformPackage('project/node_modules'))).toEqual({
    method: 'npm-local',
    packageRoot: local.packageRoot,
    project: join(root, 'project'),
  });
});

test('a package in the node_modules of a project is a local npm install, even if the project is called lib', () => {
  const { packageRoot, executable } = putPackage('lib/node_modules/deed-cli');
  put('lib/package.json', '{"name":"lib"}');
  expect(identifyInstall(executable)).toEqual({
    method: 'npm-local',
    packageRoot,
    project: join(root, 'lib'),
  });
});

test('a checkout is a source install', () => {
  const { packageRoot, executable } = putPackage('code/deed');
  expect(identifyInstall(executable)).toEqual({ method: 'source', root: packageRoot });
});

test('installs of other package managers are identified, with the executable in the main package or in a platform package', () => {
  const places = {
    bun: '.bun/install/global/node_modules',
    yarn: '.config/yarn/global/node_modules',
    npx: '.npm/_npx/abc/node_modules',
  };
  for (const [method, modules] of Object.entries(places)) {
    const { packageRoot, executable } = putPackage(join(modules, 'deed-cli'));
    expect(identifyInstall(executable)).toEqual({ method, packageRoot });
    expect(identifyInstall(putPlatformPackage(modules))).toEqual({ method, packageRoot });
  }
  for (const name of ['deed-cli', '@deed-cli+linux-x64']) {
    const inStore = (folder: string): string => join(folder, '.pnpm', `${name}@0.1.0`, 'node_modules');
    const put = (folder: string): string =>
      name === 'deed-cli'
        ? putPackage(join(inStore(folder), name)).executable
        : putPlatformPackage(inStore(folder));
    expect(identifyInstall(put('share/pnpm/global/5'))).toEqual({
      method: 'pnpm',
      packageRoot: join(root, 'share/pnpm/global/5/node_modules/deed-cli'),
    });
    expect(identifyInstall(put('project/node_modules'))).toEqual({
      method: 'pnpm',
      packageRoot: join(root, 'project/node_modules/deed-cli'),
      project: join(root, 'project'),
    });
  }
});

test('an executable in the Cellar belongs to Homebrew, also through its link', () => {
  const executable = put('brew/Cellar/deed/0.1.0/bin/deed');
  mkdirSync(join(root, 'brew/bin'));
  symlinkSync(executable, join(root, 'brew/bin/deed'));
  expect(identifyInstall(join(root, 'brew/bin/deed'))).toEqual({
    method: 'homebrew',
    packageRoot: join(root, 'brew/opt/deed'),
  });
});

test('the version of a package is read from disk', () => {
  const { packageRoot } = putPackage('p');
  expect(readPackageVersion(packageRoot)).toBe('0.1.0');
  expect(readPackageVersion(join(root, 'missing'))).toBeUndefined();
  put('p/package.json', 'damaged');
  expect(readPackageVersion(packageRoot)).toBeUndefined();
});
