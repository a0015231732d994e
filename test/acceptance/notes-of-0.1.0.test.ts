import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { compileCache, ROOT, type Envelope } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { LONG } from '../fixtures/start-node.ts';

/** The program is in its own project, with this library and zod as packages. */
describe('the example of 0.1.0, written with zod', () => {
  const folder = temporaryFolder('notes');
  beforeAll(() => {
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(ROOT, join(folder.path, 'node_modules/deed-cli'));
    symlinkSync(join(ROOT, 'node_modules/zod'), join(folder.path, 'node_modules/zod'));
    copyFileSync(join(ROOT, 'test/fixtures/0.1.0/notes.ts'), join(folder.path, 'notes.ts'));
  });
  afterAll(() => folder.dispose());

  function notes(...argv: string[]): Envelope & { code: number | null } {
    const { status, stdout, stderr } = spawnSync(
      join(ROOT, 'node_modules/.bin/node'),
      [join(folder.path, 'notes.ts'), ...argv],
      {
        cwd: folder.path,
        env: { PATH: process.env.PATH, ...compileCache(), NOTES_HOME: join(folder.path, 'home') },
        encoding: 'utf8',
      },
    );
    expect([envelopeProblems({ code: status, stdout }), stderr.includes(' at ')]).toEqual([[], false]);
    return { ...(JSON.parse(stdout) as Envelope), code: status };
  }
  const confirmed = (...argv: string[]): Envelope & { code: number | null } =>
    notes(...argv, '--confirm', notes(...argv, '--dry-run').data.confirm_token as string);

  it.runIf(LONG)('adds, lists and deletes', () => {
    expect(confirmed('note', 'add', '--id', 'a', '--text', 'hello').data).toEqual({ id: 'a' });
    expect(confirmed('note', 'add', '--id', 'b', '--text', 'there').data).toEqual({ id: 'b' });
    expect(notes('note', 'list').data.notes).toEqual([
      { id: 'a', text: 'hello' },
      { id: 'b', text: 'there' },
    ]);
    expect(notes('note', 'list', '--fields', 'notes[].id').data.notes).toEqual([{ id: 'a' }, { id: 'b' }]);
    const deleted = confirmed('note', 'delete', '--ids', 'a', '--dangerous');
    expect([deleted.code, notes('note', 'list').data.notes]).toEqual([0, [{ id: 'b', text: 'there' }]]);
  });

  it.runIf(LONG)('describes its zod schemas as JSON Schema and validates input with them', () => {
    const { data } = notes('reference', '--command', 'note add');
    expect(JSON.stringify(data)).toContain('Its name');
    expect(notes('note', 'add', '--id', 'c', '--dry-run')).toMatchObject({
      code: 2,
      error: { code: 'E_VALIDATION', details: { field: 'text' } },
    });
    expect(notes('note', 'add', '--id', 'b', '--text', 'x', '--dry-run').error).toMatchObject({
      code: 'E_CONFLICT',
    });
  });
});
