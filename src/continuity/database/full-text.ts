import type { SearchMemories } from './queries/memories.ts';
import type { Query } from './query.ts';

/** A word of a search, or the beginning of words. */
export interface SearchTerm {
  readonly text: string;
  readonly isPrefix: boolean;
}

/**
 * Full-text search of memories, for databases that have an index for it. Contract: the index contains exactly the current memories,
 * so every write that adds or supersedes a memory updates the index in the same transaction.
 */
export interface FullText {
  readonly add: Query<{ id: number; key: string; value: string }, unknown>;
  readonly remove: Query<{ id: number }, unknown>;
  /** Counts the memories that contain a word with this stem. */
  readonly countStem: Query<{ stem: string }, { memories: number }>;
  /** Builds the match expression for `search`: at least one term must occur. */
  readonly match: (terms: readonly SearchTerm[]) => string;
  readonly search: SearchMemories;
}
