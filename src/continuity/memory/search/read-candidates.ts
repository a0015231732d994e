import type { QueryRunner } from '../../database/database.ts';
import type { FullText, SearchTerm } from '../../database/full-text.ts';
import type { SearchFilter, SearchValues } from '../../database/queries/memories.ts';
import type { MemoryRow } from '../memory.ts';
import type { WeightedTerm } from './rank-notes.ts';

/** A word in more memories than this is common: the index would have to score all of these memories. */
const MAX_RARE = 5000;

export interface CandidateQuery {
  readonly fullText: FullText;
  readonly filters: readonly (SearchFilter | false)[];
  readonly values: Omit<SearchValues, 'match' | 'limit' | 'offset'>;
  readonly terms: readonly WeightedTerm[];
}

/** The memories that are ranked, and the others in a fixed order. */
export interface Candidates {
  readonly ranked: readonly MemoryRow[];
  readonly others: (count: number) => Promise<readonly MemoryRow[]>;
}

/**
 * Preselects memories: the best by the index. If a word is common, selects the best for the other words, and the newest for all words: the score
 * of a common word hardly differs between memories, and computing it takes longer the more memories there are.
 */
export async function readCandidates(
  db: QueryRunner,
  query: CandidateQuery,
  limit: number,
): Promise<Candidates> {
  const { fullText, filters, values, terms } = query;
  const read = (order: readonly SearchFilter[], words: readonly WeightedTerm[], count: number, offset = 0) =>
    db.all(fullText.search(...filters, ...order), {
      ...values,
      match: fullText.match(termsOf(words)),
      limit: count,
      offset,
    });
  const rare = terms.filter(({ count }) => count <= MAX_RARE);
  if (rare.length === terms.length) {
    const ranked = await read([], terms, limit);
    return {
      ranked,
      others: async (count) => (ranked.length < limit ? [] : read([], terms, count, limit)),
    };
  }
  const best = rare.length === 0 ? [] : await read([], rare, limit);
  const known = new Set(best.map(({ id }) => id));
  const newest = await read(['newest'], terms, limit);
  const ranked = [...best, ...newest.filter(({ id }) => !known.has(id))];
  return {
    ranked,
    others: async (count) =>
      (await read(['newest'], terms, count + known.size, limit)).filter(({ id }) => !known.has(id)),
  };
}

function termsOf(terms: readonly WeightedTerm[]): SearchTerm[] {
  return terms.flatMap(({ text, prefix, related }) => [
    { text: prefix ?? text, isPrefix: prefix !== undefined },
    ...Array.from(related, (stem) => ({ text: stem, isPrefix: false })),
  ]);
}
