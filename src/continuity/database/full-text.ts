import type { SearchMemories } from './queries/memories.ts';
import type { Query, Values } from './query.ts';

/**
 * How a database finds memories by their words, where it has an index for that. Contract: it holds the memories in force and no
 * other, so whatever puts a memory in force or takes it out tells the index in the same transaction.
 */
export interface FullText {
  readonly add: Query<{ id: number; key: string; value: string }, unknown>;
  readonly remove: Query<{ id: number }, unknown>;
  /** Run in this order after memories were deleted, they leave none of their words behind. */
  readonly purge: readonly Query<Values, unknown>[];
  /** Writes what `search` looks for: every word must occur, the last may be a beginning. */
  readonly match: (words: readonly string[]) => string;
  readonly search: SearchMemories;
}
