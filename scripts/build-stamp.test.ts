import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../test/fixtures/temporary-folder.ts';
import { isBuildCurrent, writeBuildStamp } from './build-stamp.ts';

let folder: ReturnType<typeof temporaryFolder>;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
};

beforeEach(() => {
  folder = temporaryFolder('stamp');
  execFileSync('git', ['init', '-q'], { cwd: folder.path });
  for (const path of ['.gitignore', 'src/a.ts', 'dist/bin/deed', 'dist/lib/contract.js'])
    write(path, path === '.gitignore' ? 'dist/\n' : path);
  write('dist/types/index.d.ts', '');
  writeBuildStamp(folder.path);
});
afterEach(() => folder.dispose());

test('a build is current until a file that it reads is changed, added or removed', () => {
  expect(isBuildCurrent(folder.path)).toBe(true);
  write('test/a.test.ts', 'tests are not built');
  expect(isBuildCurrent(folder.path)).toBe(true);
  write('src/a.ts', 'changed');
  expect(isBuildCurrent(folder.path)).toBe(false);
  write('src/a.ts', 'src/a.ts');
  expect(isBuildCurrent(folder.path)).toBe(true);
  write('src/b.ts', 'added');
  expect(isBuildCurrent(folder.path)).toBe(false);
});

test('a build is not current without its outputs or outside a checkout', () => {
  rmSync(join(folder.path, 'dist/bin/deed'));
  expect(isBuildCurrent(folder.path)).toBe(false);
  write('dist/bin/deed', '');
  expect(isBuildCurrent(folder.path)).toBe(true);
  rmSync(join(folder.path, '.git'), { recursive: true });
  expect(isBuildCurrent(folder.path)).toBe(false);
});
