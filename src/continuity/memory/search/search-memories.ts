import { Fault } from '../../../base/fault.ts';
import type { QueryRunner } from '../../database/database.ts';
import type { FullText } from '../../database/full-text.ts';
import {
  countMemories,
  escapeLike,
  searchByText,
  type SearchValues,
} from '../../database/queries/memories.ts';
import type { MemoryRow } from '../memory.ts';
import { byPrecedence } from '../precedence.ts';
import { rankNotes, type RankedNote, type WeightedTerm } from './rank-notes.ts';
import { readCandidates } from './read-candidates.ts';
import { relatedStems } from './related-words.ts';
import { queryWords, type Word } from './words.ts';

export interface MemorySearch {
  readonly words: string;
  readonly scope?: string | undefined;
  readonly scopeId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Where an agent works; it sees the memories of its task, its project, its own and the global ones. */
export interface Viewpoint {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly taskId: string | undefined;
}

/** The index preselects this many memories; they are then ranked exactly. */
const MAX_RANKED = 200;
const MAX_RELEVANT = 60;

/** Searches memories, best first; those with any of the words are found. Without a full-text index, by literal text. */
export async function findMemories(db: QueryRunner, search: MemorySearch, at: string): Promise<MemoryRow[]> {
  const words = queryWords(search.words);
  if (words.length === 0) throw noWords();
  const filters = [
    search.scope !== undefined && 'scope',
    search.scopeId !== undefined && 'scope_id',
  ] as const;
  const values = { ...NOWHERE, scope: search.scope ?? '', scope_id: search.scopeId ?? '', at };
  const { fullText } = db;
  const { limit, offset } = search;
  if (fullText === undefined) {
    const match = escapeLike(search.words.trim());
    return db.all(searchByText(...filters), { ...values, match, limit, offset });
  }
  const terms = await weigh(db, fullText, words);
  const { ranked, others } = await readCandidates(db, { fullText, filters, values, terms }, MAX_RANKED);
  const notes = rankByWords(ranked, terms).map(({ note }) => note);
  const page = notes.slice(offset, offset + limit);
  const missing = limit - page.length;
  if (missing === 0) return page;
  const skipped = Math.max(0, offset - notes.length);
  return [...page, ...(await others(skipped + missing)).slice(skipped, skipped + missing)];
}

/** Finds the memories that fit a text, best first, with their matching parts; none without a full-text index. */
export async function findRelevant(
  db: QueryRunner,
  text: string,
  { agent, projectId, taskId }: Viewpoint,
  at: string,
): Promise<RankedNote<MemoryRow>[]> {
  const words = queryWords(text);
  const { fullText } = db;
  if (words.length === 0 || fullText === undefined) return [];
  const terms = await weigh(db, fullText, words);
  const values = { ...NOWHERE, agent, project_id: projectId ?? '', task_id: taskId ?? '', at };
  const filters = ['visible'] as const;
  const { ranked } = await readCandidates(db, { fullText, filters, values, terms }, MAX_RELEVANT);
  return rankByWords(ranked, terms);
}

/** Ranks by relevance; of memories that match equally well, the memory with precedence comes first. */
function rankByWords(rows: readonly MemoryRow[], terms: readonly WeightedTerm[]): RankedNote<MemoryRow>[] {
  return rankNotes(rows.toSorted(byPrecedence), terms);
}

const NOWHERE: Omit<SearchValues, 'match' | 'at' | 'limit' | 'offset'> = {
  scope: '',
  scope_id: '',
  agent: '',
  project_id: '',
  task_id: '',
};

/** Weighs words by how few memories contain them. A word that no memory contains is searched by its beginning. */
async function weigh(db: QueryRunner, fullText: FullText, words: readonly Word[]): Promise<WeightedTerm[]> {
  const total = (await db.first(countMemories, {}))?.total ?? 0;
  const terms: WeightedTerm[] = [];
  for (const word of words) {
    const count = (await db.first(fullText.countStem, { stem: word.stem }))?.memories ?? 0;
    const weight = Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5));
    terms.push({
      ...word,
      weight,
      count,
      related: relatedStems(word.stem),
      ...(count === 0 && { prefix: beginningOf(word) }),
    });
  }
  return terms;
}

/** Cuts an ending that the stemmer does not know, as in marriage and married; short words stay whole. */
function beginningOf({ text, stem }: Word): string {
  return stem.length < 6 ? text : stem.slice(0, Math.max(5, stem.length - 2));
}

function noWords(): Fault {
  return new Fault('E_VALIDATION', 'The search query contains no words.', {
    hint: 'Pass at least one word of letters or digits.',
    details: { field: 'query' },
  });
}
