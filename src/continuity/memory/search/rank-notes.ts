import { splitParts } from './split-parts.ts';
import { splitWords, type Word } from './words.ts';

/** A word of a query with its weight, which is high if few memories contain it. */
export interface WeightedTerm extends Word {
  readonly weight: number;
  /** Set if no memory contains the word: words that begin with this count half. */
  readonly prefix?: string | undefined;
}

export interface RankedNote<T> {
  readonly note: T;
  readonly score: number;
  /** The part that matches best, and the other matching parts after it. */
  readonly parts: readonly string[];
}

/** How fast repeated words lose value, and how much longer texts are discounted. */
const SATURATION = 1.2;
const LENGTH_DISCOUNT = 0.7;
const WORDS_OF_A_PART = 50;
/** The share of each field in the score of a note; the best part tells most, because it is about one subject. */
const SHARES = { key: 0.6, whole: 0.5, part: 1, together: 0.35 } as const;

/**
 * Ranks notes by a query, best first: by the Okapi formula over the whole note, its key and its best part. Notes whose best part contains neighbouring
 * words of the query next to each other gain. Equal notes keep their order.
 */
export function rankNotes<T extends { readonly key: string; readonly value: string }>(
  notes: readonly T[],
  terms: readonly WeightedTerm[],
): RankedNote<T>[] {
  const read = notes.map((note) => {
    const parts = splitParts(note.value).map((text) => ({ text, words: splitWords(text) }));
    const length = parts.reduce((sum, { words }) => sum + words.length, 0);
    return { note, parts, key: splitWords(note.key), words: parts.flatMap(({ words }) => words), length };
  });
  const mean = Math.max(1, read.reduce((sum, { length }) => sum + length, 0) / Math.max(1, read.length));
  const ranked = read.map(({ note, parts, key, words }) => {
    const scored = parts
      .map(({ text, words: own }) => ({
        text,
        score: fieldScore(own, terms, WORDS_OF_A_PART) + SHARES.together * adjacency(own, terms),
      }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score);
    const score =
      SHARES.key * fieldScore(key, terms, Math.max(4, key.length)) +
      SHARES.whole * fieldScore(words, terms, mean) +
      SHARES.part * (scored[0]?.score ?? 0);
    return { note, score, parts: scored.map(({ text }) => text) };
  });
  return ranked.sort((left, right) => right.score - left.score);
}

function fieldScore(words: readonly Word[], terms: readonly WeightedTerm[], meanLength: number): number {
  if (words.length === 0) return 0;
  const discount = SATURATION * (1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * words.length) / meanLength);
  let score = 0;
  for (const term of terms) {
    let count = 0;
    for (const word of words) count += matches(word, term);
    score += (term.weight * count * (SATURATION + 1)) / (count + discount);
  }
  return score;
}

/** 1 for the same stem, one half for a word that only begins alike. */
function matches(word: Word, term: WeightedTerm): number {
  if (word.stem === term.stem) return 1;
  return term.prefix !== undefined && word.text.startsWith(term.prefix) ? 0.5 : 0;
}

/** The weight of neighbouring words of the query that are also neighbours, at most one word apart, in the text. */
function adjacency(words: readonly Word[], terms: readonly WeightedTerm[]): number {
  let score = 0;
  for (let index = 0; index + 1 < terms.length; index += 1) {
    const [first, second] = [terms[index] as WeightedTerm, terms[index + 1] as WeightedTerm];
    const found = words.some(
      (word, at) =>
        matches(word, first) === 1 && words.slice(at + 1, at + 3).some((next) => matches(next, second) === 1),
    );
    if (found) score += Math.min(first.weight, second.weight);
  }
  return score;
}
