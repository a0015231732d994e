import type { SearchMemories } from './queries/memories.ts';
import type { Query, Values } from './query.ts';

/**
 * Full-text search of memories, for databases that have an index for it. Contract: the index contains exactly the current memories,
 * so every write that adds or supersedes a memory updates the index in the same transaction.
 */
export interface FullText {
  readonly add: Query<{ id: number; key: string; value: string }, unknown>;
  readonly remove: Query<{ id: number }, unknown>;
  /** Queries to run in this order after memories were deleted, so that none of their words stay in the index. */
  readonly purge: readonly Query<Values, unknown>[];
  /** Builds the match expression for `search`: all words must occur, the last one as a prefix. */
  readonly match: (words: readonly string[]) => string;
  readonly search: SearchMemories;
}
