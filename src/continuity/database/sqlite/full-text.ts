import { sql, type RawBuilder } from 'kysely';

/** The full-text conditions of SQLite's FTS5; another system has its own, behind the same capability. */
export function fullTextMatch(words: string): RawBuilder<boolean> {
  return sql<boolean>`memory_search match ${words}`;
}

/** Orders by how well a row matches, best first. */
export function fullTextRank(): RawBuilder<number> {
  return sql<number>`bm25(memory_search)`;
}

/** Turns a person's words into a match expression: every word must occur, the last may be a beginning. */
export function fullTextWords(text: string): string {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  return words.map((word, index) => `"${word}"${index === words.length - 1 ? '*' : ''}`).join(' ');
}
