import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { notesCommands } from '../fixtures/notes-commands.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { createHome, deed, type Envelope, type Run } from '../fixtures/run-deed.ts';
import {
  confirmInProcess,
  createProgram,
  DEED,
  runInProcess,
  SOURCE_LIBRARY,
} from '../fixtures/run-in-process.ts';

const home = createHome();
const file = join(home.path, 'notes.txt');
writeFileSync(file, 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n');
afterAll(() => home.dispose());

const program = createProgram('notes', notesCommands(SOURCE_LIBRARY, { file, upstream: '' }));
const notes = (...argv: string[]): Promise<Run> =>
  runInProcess(['note', 'list', ...argv], program, { home: home.path });
const run = async (...argv: string[]): Promise<Envelope> =>
  (await runInProcess(argv, DEED, { home: home.path })).envelope;
const ids = ({ envelope }: Run): string[] => (envelope.data.items as { id: string }[]).map(({ id }) => id);

describe('selected fields', () => {
  const page = { count: 2, next_cursor: expect.any(String), has_more: true, _untrusted: ['items[].text'] };

  it.each([
    ['a bare name of the item', 'id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a path into the items', 'items[].id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a path without brackets', 'items.id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a path with an index', 'items[0].id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a deeper path', 'by.name', { items: [{ by: { name: 'me' } }, { by: { name: 'me' } }] }],
    [
      'several, in the order of the output',
      'tag,id',
      {
        items: [
          { id: '1', tag: 'odd' },
          { id: '2', tag: 'even' },
        ],
      },
    ],
    ['one inside another', 'by,by.name', { items: [{ by: { name: 'me' } }, { by: { name: 'me' } }] }],
    ['a member of the page', 'count', {}],
  ])('as %s include the page members and the list of untrusted fields', async (_how, fields, expected) => {
    expect((await notes('--fields', fields, '--limit', '2')).envelope.data).toEqual({ ...page, ...expected });
  });

  it('can be repeated and combined', async () => {
    expect((await notes('--fields', 'id', '--fields', 'tag,id', '--limit', '1')).envelope.data.items).toEqual(
      [{ id: '1', tag: 'odd' }],
    );
  });

  it('can be the whole list', async () => {
    const all = (await notes('--limit', '2')).envelope.data as object;
    expect((await notes('--fields', 'items', '--limit', '2')).envelope.data).toEqual(all);
    expect((await notes('--fields', 'items,id', '--limit', '2')).envelope.data).toEqual(all);
  });

  it('of an answer without items are exactly the selected ones', async () => {
    const { data } = await run('context', '--fields', 'version,account.uid,credentials.configured');
    expect(Object.keys(data as object)).toEqual(['version', 'account', 'credentials']);
    expect([Object.keys(data.account as object), data.credentials]).toEqual([['uid'], { configured: false }]);
  });

  it('apply to each line of a stream', () => {
    const { stdout } = deed(['audit', 'export', '--fields', 'seq,command'], { home: home.path });
    const [first] = stdout.split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      ok: true,
      schema_version: '1.0',
      type: 'item',
      data: { seq: '1', command: expect.any(String), _untrusted: ['args', 'agent', 'request_id', 'note'] },
    });
  });

  it.each(['nope', 'items[].nope', 'id.more', 'it ems', '__proto__', 'constructor', 'items[', '[]'])(
    'that do not exist (%s) are rejected with the valid ones',
    async (field) => {
      const { code, envelope } = await notes('--fields', field);
      expect([code, envelope.error?.code]).toEqual([2, 'E_VALIDATION']);
      expect(envelope.error?.details).toMatchObject({ field: 'fields', value: field });
      expect(envelope.error?.details.allowed).toEqual([
        'items',
        'items[].id',
        'items[].text',
        'items[].tag',
        'items[].by',
        'items[].by.name',
        'count',
        'next_cursor',
        'has_more',
        'total',
        'truncated',
        '_untrusted',
      ]);
    },
  );

  it('with a typo are rejected with a suggestion, and empty ones are rejected', async () => {
    expect((await run('context', '--fields', 'versoin')).error?.details.suggestion).toBe('version');
    expect((await run('context', '--fields', ',')).error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'fields' },
    });
  });

  it('can be any field in the reference', async () => {
    const { data } = await run('reference', '--command', 'audit list');
    const { fields } = (data.schemas as Record<string, { fields: string[] }>).audit_list ?? { fields: [] };
    expect((await run('audit', 'list', '--fields', fields.join(','))).ok).toBe(true);
  });
});

describe('pages', () => {
  /** Follows the cursors to the end. */
  async function walk(...argv: string[]): Promise<{ ids: string[]; sizes: number[] }> {
    const walked: { ids: string[]; sizes: number[] } = { ids: [], sizes: [] };
    let cursor: string[] = [];
    for (;;) {
      const page = await notes(...argv, ...cursor);
      walked.ids.push(...ids(page));
      walked.sizes.push(page.envelope.data.count as number);
      expect(page.envelope.data.has_more).toBe(page.envelope.data.next_cursor !== null);
      if (page.envelope.data.next_cursor === null) return walked;
      cursor = ['--cursor', page.envelope.data.next_cursor as string];
    }
  }

  it('contain every row once, in order', async () => {
    expect(await walk('--limit', '3')).toEqual({
      ids: ['1', '2', '3', '4', '5', '6', '7'],
      sizes: [3, 3, 1],
    });
    expect(await walk('--limit', '7')).toEqual({ ids: ['1', '2', '3', '4', '5', '6', '7'], sizes: [7] });
  });

  it('of a filtered list contain the matching rows', async () => {
    expect(await walk('--tag', 'even', '--limit', '2')).toEqual({ ids: ['2', '4', '6'], sizes: [2, 1] });
  });

  it('do not change when rows are appended', async () => {
    const first = (await notes('--limit', '3')).envelope.data as { next_cursor: string };
    appendFileSync(file, 'eight\n');
    expect(ids(await notes('--limit', '3', '--cursor', first.next_cursor))).toEqual(['4', '5', '6']);
  });

  it('of a growing log contain each line once', async () => {
    const seen: string[] = [];
    let cursor: string[] = [];
    for (let page = 0; page < 3; page += 1) {
      const { data } = await run('audit', 'list', '--limit', '2', ...cursor);
      seen.push(...(data.items as { seq: string }[]).map(({ seq }) => seq));
      cursor = ['--cursor', data.next_cursor as string];
    }
    const newest = Number(seen[0]);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((back) => String(newest - back)));
  });

  it('have the size of the setting by default', async () => {
    await confirmInProcess(['config', 'set', 'list.limit', '2'], DEED, { home: home.path });
    expect((await run('config', 'list')).data.count).toBe(2);
    expect((await run('config', 'list', '--limit', '1')).data.count).toBe(1);
  });

  it.each(['0', '-1', '1001', 'x', '1.5'])('cannot have %s rows', async (limit) => {
    expect((await notes('--limit', limit)).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'limit' },
    });
  });

  it.each([
    ['invalid', 'x'],
    ['empty', ''],
    ['JSON of another format', Buffer.from('{"after":1}').toString('base64url')],
    ['a confirm token', 'ct_eyJhIjoxfQ.00'],
  ])('reject a cursor that is %s', async (_what, cursor) => {
    expect((await notes(`--cursor=${cursor}`)).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'cursor' },
    });
  });

  it('reject a cursor of other filters or another list', async () => {
    const { next_cursor } = (await notes('--tag', 'odd', '--limit', '1')).envelope.data as {
      next_cursor: string;
    };
    for (const argv of [[], ['--tag', 'even']]) {
      expect((await notes(...argv, '--cursor', next_cursor)).envelope.error?.code).toBe('E_VALIDATION');
    }
    expect((await run('audit', 'list', '--cursor', next_cursor)).error?.code).toBe('E_VALIDATION');
    expect((await run('config', 'list', '--cursor', next_cursor)).error?.code).toBe('E_VALIDATION');
  });

  it('and fields work the same in the executable and in a program on the built library', async () => {
    const auditCursor = (await run('audit', 'list', '--limit', '1')).data.next_cursor as string;
    const list = (...argv: string[]): Run =>
      deed(['note', 'list', ...argv], {
        env: { NOTES_HOME: home.path, NOTES_FILE: file },
        executable: exampleExecutable('notes'),
      });
    const first = list('--limit', '2', '--fields', 'id');
    expect(ids(first)).toEqual(['1', '2']);
    const cursor = first.envelope.data.next_cursor as string;
    expect(ids(list('--limit', '2', '--fields', 'id', '--cursor', cursor))).toEqual(['3', '4']);
    expect(list('--fields', 'nope').envelope.error?.code).toBe('E_VALIDATION');
    const older = deed(['audit', 'list', '--limit', '1', '--cursor', auditCursor], { home: home.path });
    expect(older.envelope.data).toMatchObject({ count: 1, has_more: true });
  });
});
