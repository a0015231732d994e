import { splitParts } from './split-parts.ts';
import { splitWords, type Word } from './words.ts';

/** A word of a query with its weight, which is high if few memories contain it. */
export interface WeightedTerm extends Word {
  readonly weight: number;
  /** The number of memories that contain the word. */
  readonly count: number;
  /** Set if no memory contains the word: words that begin with this count partly. */
  readonly prefix?: string | undefined;
  /** The stems of related words; they count partly. */
  readonly related: ReadonlySet<string>;
}

export interface RankedNote<T> {
  readonly note: T;
  readonly score: number;
  /** The part that matches best, and the other matching parts after it. */
  readonly parts: readonly string[];
}

/** How fast repeated words lose value, and how much longer texts are discounted. Parts are alike in length, so they are discounted less. */
const SATURATION = 1.2;
const DISCOUNTS = { whole: 0.7, part: 0.35 } as const;
const WORDS_OF_A_PART = 50;
/** The share of each field in the score of a note; the best part counts most, because it is about one subject. */
const SHARES = { key: 0.6, whole: 0.4, part: 1, adjacent: 0.25 } as const;
/** The weight of words that are not equal: with the same beginning, and with a similar meaning. */
const BEGINS_ALIKE = 0.5;
const IS_RELATED = 0.45;

/**
 * Ranks notes by a query, best first: by the Okapi formula over the whole note, its key and its best part. Notes whose best part contains neighbouring
 * words of the query next to each other score higher. Equal notes keep their order, and notes with none of the words are left out.
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
        score:
          fieldScore(own, terms, WORDS_OF_A_PART, DISCOUNTS.part) + SHARES.adjacent * adjacency(own, terms),
      }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score);
    const score =
      SHARES.key * fieldScore(key, terms, Math.max(4, key.length), DISCOUNTS.whole) +
      SHARES.whole * fieldScore(words, terms, mean, DISCOUNTS.whole) +
      SHARES.part * (scored[0]?.score ?? 0);
    return { note, score, parts: scored.map(({ text }) => text) };
  });
  return ranked.filter(({ score }) => score > 0).sort((left, right) => right.score - left.score);
}

/** The Okapi formula: each word of the query counts by its weight, more if it is repeated, less in a longer text. */
function fieldScore(
  words: readonly Word[],
  terms: readonly WeightedTerm[],
  meanLength: number,
  lengthDiscount: number,
): number {
  if (words.length === 0) return 0;
  const discount = SATURATION * (1 - lengthDiscount + (lengthDiscount * words.length) / meanLength);
  let score = 0;
  for (const term of terms) {
    const count = countOf(words, term);
    score += (term.weight * count * (SATURATION + 1)) / (count + discount);
  }
  return score;
}

/** How often a text contains a word; if it does not, what its most similar word counts. */
function countOf(words: readonly Word[], term: WeightedTerm): number {
  let exact = 0;
  let similar = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as Word;
    if (word.stem === term.stem) exact += 1;
    else if (term.related.has(word.stem)) similar = Math.max(similar, IS_RELATED);
    else if (term.prefix === undefined) continue;
    else if (isDivided(word, words[index + 1], term)) exact += 1;
    else if (word.text.startsWith(term.prefix)) similar = BEGINS_ALIKE;
  }
  return exact > 0 ? exact : similar;
}

/** Whether two words are one word of the query with a hyphen or a space, as in pre-authorise and preauthorise. */
function isDivided(word: Word, next: Word | undefined, { text, prefix }: WeightedTerm): boolean {
  if (prefix === undefined || next === undefined || !text.startsWith(word.text)) return false;
  const rest = text.slice(word.text.length);
  return rest.length >= 3 && next.text.startsWith(rest.slice(0, Math.max(3, rest.length - 2)));
}

/** The weight of neighbouring words of the query that are also neighbours, at most one word apart, in the text. */
function adjacency(words: readonly Word[], terms: readonly WeightedTerm[]): number {
  let score = 0;
  for (let index = 0; index + 1 < terms.length; index += 1) {
    const [first, second] = [terms[index] as WeightedTerm, terms[index + 1] as WeightedTerm];
    const found = words.some(
      ({ stem }, at) =>
        stem === first.stem && words.slice(at + 1, at + 3).some((next) => next.stem === second.stem),
    );
    if (found) score += Math.min(first.weight, second.weight);
  }
  return score;
}
