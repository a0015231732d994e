import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFields } from './choose-fields.ts';
import { selectFields } from './select-fields.ts';

const KNOWN = [
  'items',
  'items[].id',
  'items[].by',
  'items[].by.name',
  'count',
  'next_cursor',
  'has_more',
  'total',
];
const page = {
  items: [
    { id: '1', by: { name: 'a', mail: 'x' }, more: true },
    { id: '2', by: { name: 'b', mail: 'y' } },
  ],
  count: 2,
  next_cursor: null,
  has_more: false,
  total: 9,
  _untrusted: ['items[].id'],
};
const select = (...fields: string[]): unknown => selectFields(page, parseFields(fields, KNOWN));

test('a field can be named bare, with brackets, without brackets, and with an index', () => {
  const expected = {
    items: [{ id: '1' }, { id: '2' }],
    count: 2,
    next_cursor: null,
    has_more: false,
    total: 9,
    _untrusted: ['items[].id'],
  };
  for (const field of ['id', 'items[].id', 'items.id', 'items[7].id'])
    expect(select(field)).toEqual(expected);
});

test('a selected object includes all its members, even if one of them is also selected', () => {
  expect(select('by')).toMatchObject({
    items: [{ by: { name: 'a', mail: 'x' } }, { by: { name: 'b', mail: 'y' } }],
  });
  expect(select('by.name', 'by')).toEqual(select('by'));
  expect(select('items', 'id')).toEqual(page);
});

test('a row may have a field that is named like one of the page', () => {
  const stock = { items: [{ id: 'bolt', count: 5, total: 7 }], count: 1, has_more: false, total: 30 };
  const known = ['items', 'items[].id', 'items[].count', 'items[].total', 'count', 'has_more', 'total'];
  const chosen = (...fields: string[]): unknown => selectFields(stock, parseFields(fields, known));
  expect(chosen('id')).toEqual({ ...stock, items: [{ id: 'bolt' }] });
  expect(chosen('id', 'count')).toEqual({ ...stock, items: [{ id: 'bolt', count: 5 }] });
  expect(chosen('items[].total')).toEqual({ ...stock, items: [{ total: 7 }] });
});

test('a member of an object that is not a page is not added to a selection', () => {
  const batch = { summary: { total: 3, failed: 1 } };
  const selection = parseFields(['summary.failed'], ['summary', 'summary.total', 'summary.failed']);
  expect(selectFields(batch, selection)).toEqual({ summary: { failed: 1 } });
});

test('two members of one object are both kept', () => {
  expect(select('id', 'by.name')).toMatchObject({
    items: [
      { id: '1', by: { name: 'a' } },
      { id: '2', by: { name: 'b' } },
    ],
  });
});

test('a selection never adds or changes members', () => {
  const fields = fc.subarray(KNOWN, { minLength: 1 });
  fc.assert(
    fc.property(fields, (chosen) => {
      const left = select(...chosen) as object;
      expect(page).toMatchObject(left);
      expect(left).toMatchObject({
        count: 2,
        next_cursor: null,
        has_more: false,
        total: 9,
        _untrusted: ['items[].id'],
      });
    }),
  );
});

test('a selection is idempotent', () => {
  fc.assert(
    fc.property(fc.subarray(KNOWN, { minLength: 1 }), (chosen) => {
      const selection = parseFields(chosen, KNOWN);
      const once = selectFields(page, selection);
      expect(selectFields(once, selection)).toEqual(once);
    }),
  );
});

test('an unknown field is rejected with the list of fields', () => {
  fc.assert(
    fc.property(fc.string(), (field) => {
      const bare = field.replaceAll(/\[\d*\]/gu, '');
      fc.pre(!['items', 'id', 'by', 'by.name', 'count', 'next_cursor', 'has_more', 'total'].includes(bare));
      fc.pre(!KNOWN.some((known) => known.replaceAll('[]', '') === bare));
      expect(() => parseFields([field], KNOWN)).toThrow(
        expect.objectContaining({
          code: 'E_VALIDATION',
          details: expect.objectContaining({ allowed: KNOWN }),
        }),
      );
    }),
  );
  expect(() => parseFields([], KNOWN)).toThrow(expect.objectContaining({ code: 'E_VALIDATION' }));
});
