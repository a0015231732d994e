import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { confirmed, createHome, deed, type Envelope, type Run } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
let file = '';
beforeAll(() => {
  home = createHome();
  file = join(home.path, 'notes.txt');
  writeFileSync(file, 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n');
});
afterAll(() => home.dispose());

const notes = (...argv: string[]): Run =>
  deed(['note', 'list', ...argv], {
    env: { NOTES_HOME: home.path, NOTES_FILE: file },
    executable: exampleExecutable('notes'),
  });
const run = (...argv: string[]): Envelope => deed(argv, { home: home.path }).envelope;
const ids = ({ envelope }: Run): string[] => (envelope.data.items as { id: string }[]).map(({ id }) => id);

describe('chosen fields', () => {
  const page = { count: 2, next_cursor: expect.any(String), has_more: true, _untrusted: ['items[].text'] };

  it.each([
    ['a bare name of the item', 'id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a path into the items', 'items[].id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a path without brackets', 'items.id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a path with an index', 'items[0].id', { items: [{ id: '1' }, { id: '2' }] }],
    ['a deeper path', 'by.name', { items: [{ by: { name: 'me' } }, { by: { name: 'me' } }] }],
    [
      'several, in the order of the answer',
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
  ])('as %s leave the page and the warning about outside text', (_how, fields, expected) => {
    expect(notes('--fields', fields, '--limit', '2').envelope.data).toEqual({ ...page, ...expected });
  });

  it('may be repeated and mixed', () => {
    expect(notes('--fields', 'id', '--fields', 'tag,id', '--limit', '1').envelope.data.items).toEqual([
      { id: '1', tag: 'odd' },
    ]);
  });

  it('of the whole list are the whole list', () => {
    const all = notes('--limit', '2').envelope.data as object;
    expect(notes('--fields', 'items', '--limit', '2').envelope.data).toEqual(all);
    expect(notes('--fields', 'items,id', '--limit', '2').envelope.data).toEqual(all);
  });

  it('of an answer without items keep what was chosen and nothing else', () => {
    const { data } = run('context', '--fields', 'version,account.uid,credentials.configured');
    expect(Object.keys(data as object)).toEqual(['version', 'account', 'credentials']);
    expect([Object.keys(data.account as object), data.credentials]).toEqual([['uid'], { configured: false }]);
  });

  it('of lines in a stream leave the lines in form', () => {
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
    'that do not exist (%s) are refused with those that do',
    (field) => {
      const { code, envelope } = notes('--fields', field);
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
        'truncated',
        '_untrusted',
      ]);
    },
  );

  it('with a typo are refused with what was meant; with nothing in them they are refused', () => {
    expect(run('context', '--fields', 'versoin').error?.details.suggestion).toBe('version');
    expect(run('context', '--fields', ',').error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'fields' },
    });
  });

  it('are those that the reference tells', () => {
    const { data } = run('reference', '--command', 'audit list');
    const { fields } = (data.schemas as Record<string, { fields: string[] }>).audit_list ?? { fields: [] };
    expect(run('audit', 'list', '--fields', fields.join(',')).ok).toBe(true);
  });
});

describe('pages', () => {
  /** Follows the cursors to the end. */
  function walk(...argv: string[]): { ids: string[]; sizes: number[] } {
    const walked: { ids: string[]; sizes: number[] } = { ids: [], sizes: [] };
    let cursor: string[] = [];
    for (;;) {
      const page = notes(...argv, ...cursor);
      walked.ids.push(...ids(page));
      walked.sizes.push(page.envelope.data.count as number);
      expect(page.envelope.data.has_more).toBe(page.envelope.data.next_cursor !== null);
      if (page.envelope.data.next_cursor === null) return walked;
      cursor = ['--cursor', page.envelope.data.next_cursor as string];
    }
  }

  it('together hold every row once, in order', () => {
    expect(walk('--limit', '3')).toEqual({ ids: ['1', '2', '3', '4', '5', '6', '7'], sizes: [3, 3, 1] });
    expect(walk('--limit', '7')).toEqual({ ids: ['1', '2', '3', '4', '5', '6', '7'], sizes: [7] });
  });

  it('of a filtered list hold what the filter leaves', () => {
    expect(walk('--tag', 'even', '--limit', '2')).toEqual({ ids: ['2', '4', '6'], sizes: [2, 1] });
  });

  it('stay where they are when rows are added behind them', () => {
    const first = notes('--limit', '3').envelope.data as { next_cursor: string };
    appendFileSync(file, 'eight\n');
    expect(ids(notes('--limit', '3', '--cursor', first.next_cursor))).toEqual(['4', '5', '6']);
  });

  it('of a log that grows while it is read show each line once', () => {
    const seen: string[] = [];
    let cursor: string[] = [];
    for (let page = 0; page < 3; page += 1) {
      const { data } = run('audit', 'list', '--limit', '2', ...cursor);
      seen.push(...(data.items as { seq: string }[]).map(({ seq }) => seq));
      cursor = ['--cursor', data.next_cursor as string];
    }
    const newest = Number(seen[0]);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((back) => String(newest - back)));
  });

  it('are as long as the setting says when the caller does not', () => {
    confirmed(['config', 'set', 'list.limit', '2'], { home: home.path });
    expect(run('config', 'list').data.count).toBe(2);
    expect(run('config', 'list', '--limit', '1').data.count).toBe(1);
  });

  it.each(['0', '-1', '1001', 'x', '1.5'])('cannot have %s rows', (limit) => {
    expect(notes('--limit', limit).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'limit' },
    });
  });

  it.each([
    ['nonsense', 'x'],
    ['nothing', ''],
    ['JSON of another form', Buffer.from('{"after":1}').toString('base64url')],
    ['a confirm token', 'ct_eyJhIjoxfQ.00'],
  ])('do not begin at %s', (_what, cursor) => {
    expect(notes(`--cursor=${cursor}`).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'cursor' },
    });
  });

  it('do not go on with other filters, nor in another list', () => {
    const { next_cursor } = notes('--tag', 'odd', '--limit', '1').envelope.data as { next_cursor: string };
    for (const argv of [[], ['--tag', 'even']]) {
      expect(notes(...argv, '--cursor', next_cursor).envelope.error?.code).toBe('E_VALIDATION');
    }
    expect(run('audit', 'list', '--cursor', next_cursor).error?.code).toBe('E_VALIDATION');
    expect(run('config', 'list', '--cursor', next_cursor).error?.code).toBe('E_VALIDATION');
  });
});
