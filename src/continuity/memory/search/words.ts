import { stemmer } from 'stemmer';

/** Words that say nothing about the subject of a text; among them those that questions begin with. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be been before being both but by can could did do does doing done during each few for
  from further get gets got had has have having he her here hers him his how i if in into is it its itself just kind let like many may me
  might more most much must my no nor not now of off on once one only or other our ours out over own per please s same she should so some
  still such t tell than that the their theirs them then there these they thing things this those through to too under until up us very was
  way we were what when where which while who whom whose why will with would yes yet you your yours d ll m re ve don didn doesn isn wasn
  wouldn couldn shouldn`.split(/\s+/u),
);

/** A word as written, and the stem by which it is compared. */
export interface Word {
  readonly text: string;
  readonly stem: string;
}

/** Splits a text into words, in lower case and without diacritics, as the index does. */
export function splitWords(text: string): Word[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => ({ text: word, stem: stemOf(word) }));
}

/** The words that a query searches for, each once, without stop words. A query that has only stop words searches for them. */
export function queryWords(query: string): Word[] {
  const words = splitWords(query);
  const contentWords = words.filter(({ text }) => !STOP_WORDS.has(text));
  return [
    ...new Map(
      (contentWords.length === 0 ? words : contentWords).map((word) => [word.stem, word] as const),
    ).values(),
  ].slice(0, MAX_QUERY_WORDS);
}

/** The longest queries are task descriptions; further words would only slow the search down. */
const MAX_QUERY_WORDS = 48;

const stems = new Map<string, string>();

/** Texts repeat their words, and a stem takes longer to compute than to look up. */
function stemOf(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stemmer(word);
    if (stems.size < 50_000) stems.set(word, stem);
  }
  return stem;
}
