import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findPlatformExecutable, platformPackages } from './platform-executable.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-platform-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const launcher = (): string => join(root, 'node_modules/deed-cli/dist/launcher/launcher.cjs');
function install(name: string): string {
  const executable = join(root, 'node_modules', name, 'bin/deed');
  mkdirSync(dirname(executable), { recursive: true });
  writeFileSync(executable, '');
  return executable;
}

test('each platform has a package, Linux one for each C library', () => {
  expect(platformPackages('darwin', 'arm64')).toEqual(['@deed-cli/darwin-arm64']);
  expect(platformPackages('linux', 'x64')).toEqual(['@deed-cli/linux-x64', '@deed-cli/linux-x64-musl']);
});

test('without a package there is no executable', () => {
  expect(findPlatformExecutable(launcher())).toBeUndefined();
});

test('the installed package is used; of two, the one for the C library of this machine', () => {
  const names = platformPackages(process.platform, process.arch);
  const executables = names.toReversed().map((name) => {
    const executable = install(name);
    expect(findPlatformExecutable(launcher())).toBe(
      runsOnMusl() ? join(root, 'node_modules', names.at(-1) ?? '', 'bin/deed') : executable,
    );
    return executable;
  });
  expect(executables).toHaveLength(names.length);
});

/** On Alpine and other musl systems Node reports no glibc version. */
function runsOnMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined;
}
