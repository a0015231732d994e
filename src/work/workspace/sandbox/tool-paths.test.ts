import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listToolPaths } from './tool-paths.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'deed-home-'));
  for (const path of [
    '.nvm/versions/node/v24/bin/node',
    '.pyenv/shims/python',
    '.cargo/bin/cargo',
    '.cargo/credentials.toml',
    '.cargo/registry/index',
    '.rustup/toolchains/stable',
    '.docker/bin/docker',
    '.docker/config.json',
    '.claude/bin/claude',
    '.claude/.credentials.json',
    '.local/bin/own',
    '.local/share/tool/1.0/cli.js',
    '.gitconfig',
    '.git-credentials',
    'notes.txt',
  ]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), '');
  }
  symlinkSync('../share/tool/1.0/cli.js', join(home, '.local/bin/tool'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const list = (...folders: readonly string[]): readonly string[] =>
  listToolPaths({
    home,
    searchPath: ['/usr/bin', 'relative', ...folders.map((name) => join(home, name))].join(':'),
  })
    .map((path) => path.slice(home.length + 1))
    .toSorted();

it('accepts a folder with the name of a member of every object', () => {
  mkdirSync(join(home, 'constructor/bin'), { recursive: true });
  expect(list('constructor/bin').join(' ')).toContain('constructor');
});

it('lists only the settings of git if PATH has no folder in the home', () => {
  expect(list()).toEqual(['.gitconfig']);
});

it('lists toolchains, without their credentials', () => {
  expect(list('.nvm/versions/node/v24/bin', '.pyenv/shims', '.cargo/bin')).toEqual([
    '.cargo/bin',
    '.cargo/registry',
    '.gitconfig',
    '.nvm/versions/node/v24',
    '.pyenv',
    '.rustup',
  ]);
});

it('lists only the programs of a folder that has credentials or belongs to an agent', () => {
  expect(list('.docker/bin', '.claude/bin')).toEqual(['.claude/bin', '.docker/bin', '.gitconfig']);
});

it('lists the targets of linked programs, and never the home itself', () => {
  expect(list('.local/bin', '')).toEqual(['.gitconfig', '.local/bin', '.local/share/tool/1.0']);
});

it('lists the packages around a program in node_modules, and those above', () => {
  for (const name of ['p/node_modules/.bin', 'p/node_modules/@a/cli/bin', 'p/node_modules/@a/cli-linux'])
    mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'p/node_modules/@a/cli/bin/cli.js'), '');
  symlinkSync('../@a/cli/bin/cli.js', join(home, 'p/node_modules/.bin/cli'));
  expect(list('p/node_modules/.bin')).toEqual(['.gitconfig', 'p/node_modules']);
  symlinkSync('../../p/node_modules/@a/cli/bin/cli.js', join(home, '.local/bin/cli'));
  expect(list('.local/bin')).toContain('p/node_modules');
});

it('lists the packages around a linked program even if its own package is in PATH', () => {
  mkdirSync(join(home, 'p/node_modules/cli/bin'), { recursive: true });
  mkdirSync(join(home, 'p/node_modules/needed'));
  writeFileSync(join(home, 'p/node_modules/cli/bin/cli.js'), '');
  symlinkSync('../../p/node_modules/cli/bin/cli.js', join(home, '.local/bin/cli'));
  expect(list('p/node_modules/cli/bin', '.local/bin')).toContain('p/node_modules');
});

it('checks a package once, not once for each of its programs', () => {
  for (const name of ['p/node_modules/.bin', 'p/node_modules/cli'])
    mkdirSync(join(home, name), { recursive: true });
  for (let index = 0; index < 50; index += 1) {
    writeFileSync(join(home, `p/node_modules/cli/${index}.js`), '');
    symlinkSync(`../cli/${index}.js`, join(home, `p/node_modules/.bin/${index}`));
  }
  const isState = vi.fn(() => false);
  listToolPaths({ home, searchPath: join(home, 'p/node_modules/.bin'), isState });
  expect(isState.mock.calls.length).toBeLessThan(10);
});

it('lists the toolchains of PATH below /tmp, and never /tmp itself', () => {
  const folder = mkdtempSync('/tmp/deed-tools-');
  mkdirSync(join(folder, 'bin'));
  const searchPath = `${join(folder, 'bin')}:/tmp:/`;
  expect(listToolPaths({ home: undefined, searchPath })).toEqual([folder]);
  const isState = (path: string): boolean => path === folder;
  expect(listToolPaths({ home: undefined, searchPath, isState })).toEqual([join(folder, 'bin')]);
  rmSync(folder, { recursive: true });
});
