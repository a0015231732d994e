import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type InstalledPackage } from '../fixtures/installed-package.ts';
import { typeCheck } from '../fixtures/type-check.ts';
import { ROOT } from '../fixtures/run-deed.ts';

describe('the types of the libraries, in a project of a user', () => {
  let project: InstalledPackage;
  let promises = '';
  beforeAll(async () => {
    project = await installPackage();
    promises = readFileSync(join(ROOT, 'test/fixtures/library-types.ts'), 'utf8');
  });
  afterAll(() => project.dispose());

  it('are what callers rely on', () => {
    writeFileSync(join(project.path, 'promises.ts'), promises);
    expect(typeCheck(project.path, ['promises.ts'])).toEqual([]);
  });

  it('would be refused if one differed', () => {
    const other = promises.replace("Candidate['pid'], number", "Candidate['pid'], string");
    expect(other).not.toBe(promises);
    writeFileSync(join(project.path, 'other.ts'), other);
    expect(typeCheck(project.path, ['other.ts'])).toHaveLength(1);
  });
});
