import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensurePrivateFolder } from './private-folder.ts';

test('a folder is created with its parents, is private, and can be created again', () => {
  const root = mkdtempSync(join(tmpdir(), 'deed-private-'));
  const path = join(root, 'a/b/c');
  for (let round = 0; round < 2; round += 1) ensurePrivateFolder(path);
  expect([path, join(root, 'a')].map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700]);
  writeFileSync(join(root, 'file'), '');
  for (const name of ['file', 'file/below'])
    expect(() => ensurePrivateFolder(join(root, name))).toThrow('Could not create the folder');
  rmSync(root, { recursive: true });
});

test.runIf(process.platform === 'linux')(
  'a folder that cannot be created is a fault, not an endless loop',
  () => {
    expect(() => ensurePrivateFolder('/proc/nowhere/deep')).toThrow('Could not create the folder');
  },
);
