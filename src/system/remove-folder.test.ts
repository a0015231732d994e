import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findProgram } from './find-program.ts';
import { listKernelControls } from './kernel-controls.ts';
import { removeFolder } from './remove-folder.ts';

it('a folder is removed even if its subfolders are not readable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deed-remove-'));
  mkdirSync(join(folder, 'work/work/deep'), { recursive: true });
  writeFileSync(join(folder, 'work/work/deep/file'), 'x');
  for (const path of ['work/work/deep', 'work/work']) chmodSync(join(folder, path), 0);
  removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
  removeFolder(folder);
});

it('a program is found in the first folder that has it, and never in the working folder', () => {
  expect(findProgram('sh', '/nonexistent:/bin:/usr/bin')).toMatch(/^\/(?:usr\/)?bin\/sh$/u);
  expect(findProgram('sh', '.:bin:')).toBeUndefined();
  expect(findProgram('no-such-program', '/bin:/usr/bin')).toBeUndefined();
});

it('kernel controls are listed, processes are not', () => {
  if (!existsSync('/proc/sys')) return;
  const controls = listKernelControls();
  expect(controls).toContain('/proc/sys');
  expect(controls.filter((path) => /\/\d+$/u.test(path))).toEqual([]);
  expect(listKernelControls('/nonexistent')).toEqual([]);
});
