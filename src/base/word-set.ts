import { lazy } from './lazy.ts';

/** A set of words, written as text with white space between them and built when it is first needed. */
export function wordSet(words: string): () => ReadonlySet<string> {
  return lazy(() => new Set(words.split(/\s+/u)));
}
