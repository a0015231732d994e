import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { compileCache, ROOT, type Envelope } from '../fixtures/run-deed.ts';

const folder = mkdtempSync(join(tmpdir(), 'notes-'));
const file = join(folder, 'notes.json');

function notes(...argv: string[]): Envelope & { code: number | null } {
  const { status, stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/node'),
    [join(ROOT, 'examples/notes.ts'), ...argv],
    {
      env: {
        PATH: process.env.PATH,
        ...compileCache(),
        NOTES_FILE: file,
        NOTES_HOME: join(folder, 'home'),
      },
      encoding: 'utf8',
    },
  );
  expect(envelopeProblems({ code: status, stdout })).toEqual([]);
  return { ...(JSON.parse(stdout) as Envelope), code: status };
}

describe('a program built on the kernel', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has less than sixty lines', () => {
    expect(readFileSync(join(ROOT, 'examples/notes.ts'), 'utf8').split('\n').length).toBeLessThan(60);
  });

  it('describes its own commands and the standard commands', () => {
    const { data } = notes('reference');
    expect(data.tool).toBe('notes');
    expect(data.commands.map(({ path }: { path: string }) => path).slice(0, 4)).toEqual([
      'note list',
      'note add',
      'note delete',
      'reference',
    ]);
    expect(data.release_readiness.level).toBe('unpublishable');
  });

  it('adds a note only after a dry run, once', () => {
    expect(notes('note', 'add', '--id', 'a', '--text', 'hello').code).toBe(5);
    const { data } = notes('note', 'add', '--id', 'a', '--text', 'hello', '--dry-run');
    expect(
      notes('note', 'add', '--id', 'a', '--text', 'hello', '--confirm', data.confirm_token).data,
    ).toEqual({ id: 'a' });
    expect(
      notes('note', 'add', '--id', 'a', '--text', 'hello', '--confirm', data.confirm_token).error?.code,
    ).toBe('E_CONFLICT');
    expect(notes('note', 'list').data).toEqual({
      notes: [{ id: 'a', text: 'hello' }],
      _untrusted: ['notes[].text'],
    });
  });

  it('deletes notes only with --dangerous, and a call without it does not use up the token', () => {
    writeFileSync(
      file,
      JSON.stringify([
        ['a', '1'],
        ['b', '2'],
      ]),
    );
    const { data } = notes('note', 'delete', '--ids', 'a,zz', '--dry-run');
    const confirm = ['note', 'delete', '--ids', 'a,zz', '--confirm', data.confirm_token as string];
    expect(notes(...confirm).error).toMatchObject({
      code: 'E_CONFIRMATION_REQUIRED',
      details: { next: 'dangerous' },
    });
    expect(notes(...confirm, '--dangerous').data).toEqual({
      items: [
        { target: 'a', ok: true },
        {
          target: 'zz',
          ok: false,
          error: { code: 'E_NOT_FOUND', retryable: false, message: 'Unknown note: "zz".' },
        },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([['b', '2']]);
  });

  it('has an audit log that verifies', () => {
    expect(notes('audit', 'verify').data.valid).toBe(true);
  });
});
