import { lazy } from '../lazy.ts';

/** A kind of secret that is recognised by its own format, wherever it appears. */
export interface TokenFormat {
  readonly kind: string;
  /** One of these is in every text that the pattern matches, in lower case: most texts contain none and need no pattern. */
  readonly marks: readonly string[];
  /** Created when a text has one of the marks: a hundred patterns would slow down every start. */
  readonly pattern: () => RegExp;
}

export const WORD = 'A-Za-z0-9';
export const WORDY = String.raw`A-Za-z0-9_\-`;

/** A token that starts with one of these prefixes and continues with at least `length` characters of an alphabet. */
export function prefixed(
  kind: string,
  prefixes: readonly string[],
  length: number,
  alphabet = WORDY,
): TokenFormat {
  const pattern = lazy(() => {
    // A short prefix may be the end of a hyphenated word; a long one is a token even after a hyphen.
    const boundary = prefixes.some((prefix) => prefix.length < 4) ? WORDY : WORD;
    const start = prefixes.map((prefix) => prefix.replaceAll('.', String.raw`\.`)).join('|');
    return new RegExp(`(?<![${boundary}])(?:${start})[${alphabet}]{${length},}`, 'gu');
  });
  return { kind, marks: prefixes.map((prefix) => prefix.toLowerCase()), pattern };
}

export function format(kind: string, marks: readonly string[], pattern: () => RegExp): TokenFormat {
  return { kind, marks, pattern };
}
