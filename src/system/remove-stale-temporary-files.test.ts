import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';
import { removeStaleTemporaryFiles } from './remove-stale-temporary-files.ts';

const TWO_DAYS_S = 172_800;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder('sweep');
});
afterEach(() => folder.dispose());

describe('temporary files of killed processes', () => {
  it('are removed when they are old, and nothing else is', () => {
    const old = Date.now() / 1000 - TWO_DAYS_S;
    for (const name of ['old.json.a-1.tmp', 'old.json', 'new.json.b-2.tmp'])
      writeFileSync(join(folder.path, name), '{');
    mkdirSync(join(folder.path, 'folder.tmp'));
    symlinkSync('nowhere', join(folder.path, 'link.tmp'));
    for (const name of ['old.json.a-1.tmp', 'old.json', 'folder.tmp'])
      utimesSync(join(folder.path, name), old, old);
    removeStaleTemporaryFiles(folder.path);
    expect(readdirSync(folder.path).sort()).toEqual([
      'folder.tmp',
      'link.tmp',
      'new.json.b-2.tmp',
      'old.json',
    ]);
  });

  it('need not exist, nor their folder', () => {
    expect(() => removeStaleTemporaryFiles(join(folder.path, 'none'))).not.toThrow();
  });
});
