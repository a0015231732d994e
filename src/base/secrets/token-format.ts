import { lazy } from '../lazy.ts';

/** A kind of secret that is recognised by its own format, wherever it appears. */
export interface TokenFormat {
  readonly kind: string;
  /** Lower-case substrings. Every text that the pattern matches contains one of them; most texts contain none, and need no pattern. */
  readonly substrings: readonly string[];
  /** A shorter text contains no such token; for substrings that many texts have. */
  readonly minCharacters?: number;
  /** Created when a text has one of the substrings: a hundred patterns would slow down every start. */
  readonly pattern: () => RegExp;
}

export const ALPHANUMERIC = 'A-Za-z0-9';
export const ALPHANUMERIC_DASH = String.raw`A-Za-z0-9_\-`;

/** Creates the format of a token that starts with one of the prefixes and continues with at least `length` characters of an alphabet. */
export function prefixed(
  kind: string,
  prefixes: readonly string[],
  length: number,
  alphabet = ALPHANUMERIC_DASH,
): TokenFormat {
  const pattern = lazy(() => {
    // A short prefix may be the end of a hyphenated word; a long one is a token even after a hyphen.
    const boundary = prefixes.some((prefix) => prefix.length < 4) ? ALPHANUMERIC_DASH : ALPHANUMERIC;
    const start = prefixes.map((prefix) => prefix.replaceAll('.', String.raw`\.`)).join('|');
    return new RegExp(`(?<![${boundary}])(?:${start})[${alphabet}]{${length},}`, 'gu');
  });
  return { kind, substrings: prefixes.map((prefix) => prefix.toLowerCase()), pattern };
}

export function format(
  kind: string,
  substrings: readonly string[],
  pattern: () => RegExp,
  minCharacters = 0,
): TokenFormat {
  return { kind, substrings, pattern, minCharacters };
}
