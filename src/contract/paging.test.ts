import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/fixtures/any-text.ts';
import { cutPage, readCursor, truncatePage, type PageRequest } from './paging.ts';

/** Pages through rows as a command would. */
function walk(
  rows: readonly string[],
  limit: number,
  filters: unknown,
): { pages: string[][]; more: boolean[] } {
  const walked = { pages: [] as string[][], more: [] as boolean[] };
  let request: PageRequest = { limit };
  for (;;) {
    const after = readCursor(request, filters);
    const rest = after === undefined ? rows : rows.slice(rows.indexOf(after) + 1);
    const page = cutPage(rest.slice(0, limit + 1), request, filters, (row) => row);
    expect(page.count).toBe(page.items.length);
    walked.pages.push(page.items);
    walked.more.push(page.has_more);
    if (page.next_cursor === null) return walked;
    request = { limit, cursor: page.next_cursor };
  }
}

test('pages of any size concatenate to the rows, only a single page can be empty, and only the last has has_more false', () => {
  const rows = fc.uniqueArray(fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 10 }), fc.jsonValue(), (all, limit, filters) => {
      const { pages, more } = walk(all, limit, filters);
      expect(pages.flat()).toEqual(all);
      expect(more).toEqual(pages.map((_, index) => index < pages.length - 1));
      if (pages.length > 1) expect(pages.every((page) => page.length > 0)).toBe(true);
    }),
  );
});

test('a cursor is valid for its filters, in any member order, and for no others', () => {
  const { next_cursor } = cutPage(['a', 'b'], { limit: 1 }, { x: 1, y: 2 }, (row) => row);
  const cursor = next_cursor ?? '';
  expect(readCursor({ cursor }, { y: 2, x: 1 })).toBe('a');
  expect(readCursor({ cursor }, { x: 1, y: 2, z: undefined })).toBe('a');
  for (const filters of [{}, { x: 1 }, { x: 1, y: 3 }, null]) {
    expect(() => readCursor({ cursor }, filters)).toThrow(expect.objectContaining({ code: 'E_VALIDATION' }));
  }
});

test('any other cursor is rejected', () => {
  const text = fc.oneof(
    anyText(),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  );
  fc.assert(
    fc.property(text, (cursor) => {
      expect(() => readCursor({ cursor }, {})).toThrow(
        expect.objectContaining({ code: 'E_VALIDATION', details: { field: 'cursor' } }),
      );
    }),
  );
});

test('a page truncated at a limit is marked and can be continued', () => {
  const page = truncatePage(
    cutPage<string>([], { limit: 2 }, {}, (row) => row),
    {},
    'last-seen',
  );
  expect(page).toMatchObject({ items: [], count: 0, has_more: true, truncated: true });
  expect(readCursor({ cursor: page.next_cursor ?? '' }, {})).toBe('last-seen');
});
