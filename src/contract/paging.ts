import * as v from 'valibot';
import { described, int } from '../base/schema.ts';
import { sha256 } from '../system/digest.ts';
import { Fault } from '../base/fault.ts';
import { canonicalJson, isPlainObject } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import { embed, type Schema } from './schema.ts';

/** The parameters of every paged query. */
export const PAGE_PARAMETERS = {
  limit: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(LIMITS.pageSize))),
    `Rows on a page, 1 to ${LIMITS.pageSize} (default ${LIMITS.defaultPageSize})`,
  ),
  cursor: described(v.optional(v.string()), 'Where to continue: next_cursor of the previous page'),
};

export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: T[];
  readonly count: number;
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  /** The number of rows on all pages; absent where it is not known without reading a whole log. */
  readonly total?: number;
  /** Present when rows beyond a limit were not read. */
  readonly truncated?: true;
}

/** The output schema of a paged query over these items. */
export function pageOf<T extends Schema>(item: T) {
  return v.object({
    items: v.array(embed(item)),
    count: int(),
    next_cursor: v.nullable(v.string()),
    has_more: v.boolean(),
    total: v.optional(int()),
    truncated: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  });
}

/** The key after which a page starts, or undefined for the first page. The filters must match the filters of the call that returned the cursor. */
export function readCursor(request: PageRequest, filters: unknown): string | undefined {
  if (request.cursor === undefined) return undefined;
  const decoded = decodeCursor(request.cursor);
  if (decoded === undefined) throw badCursor('is not a cursor of this tool');
  if (decoded.filters !== filterHash(filters)) throw badCursor('belongs to a query with different filters');
  return decoded.after;
}

/**
 * Takes a page from rows that start at the cursor. Pass one row more than the limit, so that the page knows whether there is
 * more; `keyOf` returns the key of a row for the next cursor.
 */
export function cutPage<T>(
  rows: readonly T[],
  request: PageRequest,
  filters: unknown,
  keyOf: (row: T) => string,
): Page<T> {
  const limit = request.limit ?? LIMITS.defaultPageSize;
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items,
    count: items.length,
    next_cursor: more ? encodeCursor(keyOf(last), filters) : null,
    has_more: more,
  };
}

/** Adds the number of rows on all pages; `countAll` is called only when this page is not all of them. */
export async function addTotal<T>(
  page: Page<T>,
  { cursor }: PageRequest,
  countAll: () => number | Promise<number>,
): Promise<Page<T> & { readonly total: number }> {
  const isAll = cursor === undefined && !page.has_more;
  return { ...page, total: isAll ? page.count : await countAll() };
}

/** Marks a page that ended at a limit: there may be more after the last row that was read. */
export function truncatePage<T>(page: Page<T>, filters: unknown, lastKey: string): Page<T> {
  return {
    ...page,
    next_cursor: page.next_cursor ?? encodeCursor(lastKey, filters),
    has_more: true,
    truncated: true,
  };
}

function encodeCursor(after: string, filters: unknown): string {
  return Buffer.from(canonicalJson({ after, filters: filterHash(filters) })).toString('base64url');
}

function decodeCursor(cursor: string): { after: string; filters: string } | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!isPlainObject(value) || typeof value.after !== 'string' || typeof value.filters !== 'string')
      return undefined;
    return { after: value.after, filters: value.filters };
  } catch {
    return undefined;
  }
}

function filterHash(filters: unknown): string {
  return sha256(canonicalJson(filters)).slice(0, 12);
}

function badCursor(problem: string): Fault {
  return new Fault('E_VALIDATION', `--cursor ${problem}.`, {
    hint: 'Omit --cursor to start at the first page.',
    details: { field: 'cursor' },
  });
}
