import type { Compilable, Generated, Kysely, Selectable } from 'kysely';
import type { FullText } from '../full-text.ts';
import { selectCurrent, type SearchFilter, type SearchValues } from '../queries/memories.ts';
import { define, defineShapes, type Slot } from '../query.ts';
import type { MemoryTable, Tables } from '../schema.ts';

/** The FTS5 table: rowid is the id of the memory, and the column named like the table accepts match expressions and commands. */
type Index = {
  memory_search: { rowid: number; key: string; value: string; memory_search: Generated<string> };
  memory_terms: { term: string; doc: number };
};

export const SQLITE_FULL_TEXT: FullText = {
  add: define<{ id: number; key: string; value: string }>('indexMemory')((db, value) =>
    withIndex(db)
      .insertInto('memory_search')
      .values({ rowid: value('id'), key: value('key'), value: value('value') }),
  ),
  remove: define<{ id: number }>('unindexMemory')((db, value) =>
    withIndex(db).deleteFrom('memory_search').where('rowid', '=', value('id')),
  ),
  countStem: define<{ stem: string }>('countStem')((db, value) =>
    withIndex(db).selectFrom('memory_terms').select('doc as memories').where('term', '=', value('stem')),
  ),
  match: (terms) => terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`).join(' OR '),
  search: defineShapes<SearchFilter, SearchValues>('searchMemories')((db, value, has) =>
    has('newest') ? newestMatches(db, value, has) : bestMatches(db, value, has),
  ),
};

function withIndex(db: Kysely<Tables>): Kysely<Tables & Index> {
  return db.$extendTables<Index>();
}

type Search = (
  db: Kysely<Tables>,
  value: Slot<SearchValues>,
  has: (filter: SearchFilter) => boolean,
) => Compilable<Selectable<MemoryTable>>;

/** Scores every match, so the cost grows with their number. */
const bestMatches: Search = (db, value, has) =>
  selectCurrent(db, value, has)
    .innerJoin(
      withIndex(db)
        .selectFrom('memory_search')
        .select((eb) => ['rowid as memory_id', eb.fn<number>('bm25', ['memory_search']).as('distance')])
        .where('memory_search', 'match', value('match'))
        .as('found'),
      'found.memory_id',
      'memories.id',
    )
    .orderBy('found.distance')
    .orderBy('memories.id')
    .limit(value('limit'))
    .offset(value('offset'));

/** Reads the index backwards and stops at the limit. */
const newestMatches: Search = (db, value, has) =>
  selectCurrent(db, value, has)
    .innerJoin(
      withIndex(db)
        .selectFrom('memory_search')
        .select('rowid as memory_id')
        .where('memory_search', 'match', value('match'))
        .as('found'),
      'found.memory_id',
      'memories.id',
    )
    .orderBy('found.memory_id', 'desc')
    .limit(value('limit'))
    .offset(value('offset'));
