import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeCommand, unpackHome, unpackProgram } from '../fixtures/release-0.1.0.ts';
import { confirmed, deed, type Envelope, type RunOptions } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** What the released program of 0.1.0 says to a home that this version wrote in. */
describe('the program of 0.1.0', () => {
  const folder = temporaryFolder('back');
  const program = join(folder.path, 'deed-cli');
  const options: RunOptions = { home: join(folder.path, 'user/.deed'), cwd: folder.path };
  const older = (...argv: string[]): Envelope =>
    deed(argv, { ...options, executable: nodeCommand(program) }).envelope;
  beforeAll(() => unpackProgram(program));
  beforeEach(() => {
    rmSync(join(folder.path, 'user'), { recursive: true, force: true });
    unpackHome(folder.path);
  });
  afterAll(() => folder.dispose());

  it('goes on with what this version wrote, as long as the schema of the store is the same', () => {
    expect(confirmed(['task', 'create', '--title', 'Written later'], options).envelope.ok).toBe(true);
    expect(confirmed(['config', 'set', 'list.limit', '30'], options).envelope.ok).toBe(true);
    const titles = older('task', 'list').data.items.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Write the parser', 'Written later']));
    expect(older('config', 'get', 'list.limit').data).toMatchObject({ value: 30 });
    expect(older('audit', 'verify').data).toMatchObject({ valid: true });
    expect(older('store', 'check').data).toMatchObject({ sound: true });
  });

  it('refuses a store of a newer schema in words, and leaves it as it is', () => {
    const path = join(folder.path, 'user/.deed/deed.db');
    const store = new DatabaseSync(path);
    store.exec('PRAGMA user_version = 2');
    store.close();
    const before = readFileSync(path);
    const refusal = {
      code: 'E_CONFIG',
      message: `The database ${path} was written by a newer version of this program.`,
      details: { schema_version: 2, supported: 1, hint: expect.stringContaining('deed update') },
    };
    expect(older('task', 'list').error).toMatchObject(refusal);
    expect(older('task', 'create', '--title', 'x', '--dry-run').error).toMatchObject(refusal);
    expect(readFileSync(path)).toEqual(before);
  });
});
