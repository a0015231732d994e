import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, type TemporaryStore } from '../../../test/fixtures/temporary-store.ts';
import { purgeExpired } from '../store/purge-expired.ts';
import { parseDuration, parseTimeArgument } from './duration.ts';
import { checkScope, requireMemory, type MemoryScope } from './memory.ts';
import { readHistory, readMemories } from './read-memories.ts';
import { findMemories } from './search/search-memories.ts';
import { checkValueType, renderMemoryValue } from './value-type.ts';
import { deleteExpiredMemories, forgetMemory, setMemory } from './write-memory.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = createStore();
});
afterEach(() => store.dispose());

const set = (
  key: string,
  value: string,
  extra: { scope?: MemoryScope; scopeId?: string; expiresAt?: string; pinned?: boolean } = {},
) =>
  store.as('a', (scope) =>
    setMemory(scope, {
      ...checkScope(extra.scope ?? 'global', extra.scopeId),
      key,
      value,
      valueType: checkValueType(value, undefined),
      pinned: extra.pinned,
      expiresAt: extra.expiresAt ?? null,
    }),
  );
const global = { scope: 'global', scope_id: '' } as const;
const keys = async (): Promise<string[]> =>
  (await readMemories(store.database, global, store.at(), 50)).map(({ key }) => key);
const search = async (words: string): Promise<string[]> =>
  (await findMemories(store.database, { words, limit: 10, offset: 0 }, store.at())).map(({ key }) => key);

describe('a memory', () => {
  it('is superseded by a newer one with the same key and stays in its history', async () => {
    await set('goal', 'first');
    store.wait(1000);
    await set('goal', 'second');
    expect((await requireMemory(store.database, { ...global, key: 'goal' }, store.at())).value).toBe(
      'second',
    );
    expect(
      (await readHistory(store.database, { ...global, key: 'goal' }, 10)).map(({ value }) => value),
    ).toEqual(['second', 'first']);
  });

  it('stays in the history after it is deleted, even after garbage collection', async () => {
    const place = { ...global, key: 'goal' } as const;
    await set('goal', 'first');
    await set('goal', 'second');
    await store.as('a', (scope) => forgetMemory(scope, place));
    store.wait(10 * 365 * 86_400_000);
    // The clock is trusted after some writes.
    for (let write = 0; write < 20; write += 1) await set('other', `${write}`);
    expect(await store.as('a', (scope) => purgeExpired(scope, { limit: 100 }))).toMatchObject({
      memories: 0,
      events: 3,
    });
    expect((await readHistory(store.database, place, 10)).map(({ value }) => value)).toEqual([
      'second',
      'first',
    ]);
  });

  it('expires at its time in UTC, for any offset of the input', async () => {
    await set('short', 'x', { expiresAt: parseTimeArgument('2026-01-15T13:00:10+01:00', 'expires_at') });
    expect(await keys()).toEqual(['short']);
    store.wait(10_000);
    expect(await keys()).toEqual([]);
    await expect(
      requireMemory(store.database, { ...global, key: 'short' }, store.at()),
    ).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
    });
    expect(await search('x')).toEqual([]);
    const collected = await store.as('a', (scope) =>
      deleteExpiredMemories(scope, { limit: 10, since: '', at: scope.at }),
    );
    expect(collected.deleted).toBe(1);
  });

  it('is found by its words and a prefix of the last one, until it is deleted or replaced', async () => {
    await set('deploy', 'push the button; wait for green lights');
    await set('test', 'run the suite with node');
    expect(await search('green button')).toEqual(['deploy']);
    expect(await search('sui')).toEqual(['test']);
    expect(await search('"; DROP TABLE memories; --')).toEqual([]);
    await set('deploy', 'ask the operator');
    expect(await search('green')).toEqual([]);
    await store.as('a', (scope) => forgetMemory(scope, { ...global, key: 'test' }));
    expect(await search('suite')).toEqual([]);
    await expect(search('***')).rejects.toThrow('no words');
  });

  it('is found by its literal text in a database without a full-text index', async () => {
    await set('Rate', 'Ask 100% of 1_000 people!');
    await set('other', 'Ask 1000 of 1x000 people');
    const searchText = async (words: string): Promise<string[]> =>
      (
        await findMemories(
          { ...store.database, fullText: undefined },
          { words, scope: 'global', limit: 10, offset: 0 },
          store.at(),
        )
      ).map(({ key }) => key);
    expect(await searchText('ASK 100')).toEqual(['Rate', 'other']);
    expect(await searchText(' rate ')).toEqual(['Rate']);
    expect(await searchText('100%')).toEqual(['Rate']);
    expect(await searchText('1_000')).toEqual(['Rate']);
    expect(await searchText('PEOPLE!')).toEqual(['Rate']);
    expect(await searchText("people' OR 1 --")).toEqual([]);
    await expect(searchText('%')).rejects.toThrow('no words');
    await set('Rate', 'unknown');
    expect(await searchText('100%')).toEqual([]);
  });

  it('that is pinned comes first and stays pinned when its value changes', async () => {
    await set('a', '1', { pinned: true });
    store.wait(1000);
    await set('b', '2');
    await set('a', '3');
    expect(await keys()).toEqual(['a', 'b']);
  });

  it('belongs to one scope and is not visible in another', async () => {
    await set('k', 'of the project', { scope: 'project', scopeId: 'app' });
    expect(await keys()).toEqual([]);
    expect(() => checkScope('global', 'x')).toThrow('does not accept a scope id');
    expect(() => checkScope('task', undefined)).toThrow('requires a scope id');
  });
});

describe('values and times', () => {
  it.each([
    ['42', 'number'],
    ['-1.5e3', 'number'],
    ['007', 'string'],
    ['true', 'boolean'],
    ['[1,2]', 'array'],
    ['{"a":1}', 'json'],
    ['{broken', 'string'],
    ['', 'string'],
  ])('the type of %s is %s', (text, type) => {
    expect(checkValueType(text, undefined)).toBe(type);
  });

  it('rejects a value that does not have its declared type', () => {
    expect(() => checkValueType('abc', 'number')).toThrow('not of type number');
    expect(checkValueType('abc', 'string')).toBe('string');
    expect(checkValueType('[1]', 'json')).toBe('json');
    expect([renderMemoryValue(7), renderMemoryValue({ a: 1 }), renderMemoryValue('x')]).toEqual([
      '7',
      '{"a":1}',
      'x',
    ]);
  });

  it.each([
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['90s', 90_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text, 'x')).toBe(ms);
  });

  it.each(['', '5', 'h', '-1h', '0s', '1y', '1.5h'])('"%s" is not a duration', (text) => {
    expect(() => parseDuration(text, 'x')).toThrow('is not a duration');
  });

  it.each([
    '2026-01-01',
    'tomorrow',
    '2026-01-01T00:00:00',
    '2026-99-01T00:00:00Z',
    '2027-02-30T02:30:00Z',
    '2027-06-31T00:00:00+02:00',
  ])('"%s" is not a time', (text) => {
    expect(() => parseTimeArgument(text, 'x')).toThrow('is not a valid time');
  });
});
