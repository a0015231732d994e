import type { Compilable, Kysely, Selectable } from 'kysely';
import type { FullText } from '../full-text.ts';
import { selectCurrent, type SearchFilter, type SearchValues } from '../queries/memories.ts';
import { define, defineShapes, type Slot } from '../query.ts';
import type { MemoryTable, Tables } from '../schema.ts';

/** Combining marks, which a decomposed letter leaves behind. */
const MARKS = String.raw`[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]`;
/** Characters between words; the parser of Postgres would keep paths, addresses and words with hyphens together. */
const BETWEEN = String.raw`[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xa9\u2000-\u206F\u3000-\u303F]+`;

/** The index contains word stems without diacritics, as that of SQLite, and no stop words. Rows disappear with their memories. */
export const SEARCH_TABLES: readonly string[] = [
  'CREATE TEXT SEARCH DICTIONARY porter_stems (TEMPLATE = pg_catalog.snowball, Language = porter)',
  'CREATE TEXT SEARCH CONFIGURATION memory_words (PARSER = pg_catalog."default")',
  `ALTER TEXT SEARCH CONFIGURATION memory_words
      ADD MAPPING FOR asciiword, word, numword, int, uint, float, sfloat, version WITH porter_stems`,
  `CREATE TABLE memory_search (
      memory_id bigint PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
      words tsvector NOT NULL
    )`,
  'CREATE INDEX memory_search_words ON memory_search USING gin (words)',
  // A tsvector has at most a megabyte, and a word two kilobytes; a longer text is indexed up to there.
  `CREATE FUNCTION index_words(key text, value text) RETURNS tsvector LANGUAGE sql STABLE AS $$
      SELECT to_tsvector('memory_words', regexp_replace(
        regexp_replace(normalize(left(key || ' ' || value, 262144), NFKD), '${MARKS}', '', 'g'), '${BETWEEN}', ' ', 'g')) $$`,
  `CREATE FUNCTION match_words(terms text) RETURNS tsquery LANGUAGE sql STABLE AS
      $$ SELECT to_tsquery('memory_words', terms) $$`,
  `CREATE FUNCTION match_stem(stem text) RETURNS tsquery LANGUAGE sql STABLE AS
      $$ SELECT quote_literal(stem)::tsquery $$`,
];

type Index = { memory_search: { memory_id: number; words: string } };

/** Counting stops here: a word of more memories is common. */
const MAX_COUNTED = 5001;

export const POSTGRES_FULL_TEXT: FullText = {
  add: define<{ id: number; key: string; value: string }>('indexMemory')((db, value) =>
    withIndex(db)
      .insertInto('memory_search')
      .values((eb) => ({
        memory_id: value('id'),
        words: eb.fn<string>('index_words', [eb.val(value('key')), eb.val(value('value'))]),
      })),
  ),
  remove: define<{ id: number }>('unindexMemory')((db, value) =>
    withIndex(db).deleteFrom('memory_search').where('memory_id', '=', value('id')),
  ),
  countStem: define<{ stem: string }>('countStem')((db, value) =>
    withIndex(db)
      .selectFrom((eb) =>
        eb
          .selectFrom('memory_search')
          .select('memory_id')
          .where((eb) => eb('words', '@@', eb.fn<string>('match_stem', [eb.val(value('stem'))])))
          .limit(MAX_COUNTED)
          .as('found'),
      )
      .select((eb) => eb.fn.countAll<number>().as('memories')),
  ),
  match: (terms) => terms.map(({ text, isPrefix }) => `'${text}'${isPrefix ? ':*' : ''}`).join(' | '),
  search: defineShapes<SearchFilter, SearchValues>('searchMemories')((db, value, has) =>
    matches(db, value, has),
  ),
};

function withIndex(db: Kysely<Tables>): Kysely<Tables & Index> {
  return db.$extendTables<Index>();
}

function matches(
  db: Kysely<Tables>,
  value: Slot<SearchValues>,
  has: (filter: SearchFilter) => boolean,
): Compilable<Selectable<MemoryTable>> {
  const found = withIndex(db)
    .selectFrom('memory_search')
    .select((eb) => [
      'memory_id',
      eb.fn<number>('ts_rank', [eb.ref('words'), eb.fn('match_words', [eb.val(value('match'))])]).as('rank'),
    ])
    .where((eb) => eb('words', '@@', eb.fn<string>('match_words', [eb.val(value('match'))])));
  const current = selectCurrent(db, value, has).innerJoin(
    found.as('found'),
    'found.memory_id',
    'memories.id',
  );
  const ordered = has('newest')
    ? current.orderBy('found.memory_id', 'desc')
    : current.orderBy('found.rank', 'desc').orderBy('memories.id');
  return ordered.limit(value('limit')).offset(value('offset'));
}
