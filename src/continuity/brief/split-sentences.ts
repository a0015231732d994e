/** Splits a text into sentences and list items, without their bullets. A full stop inside a name or a number does not end a sentence. */
export function splitSentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?;…])["')\]]*\s+(?=\S)|(?<=[。！？；])(?=\S)/u)
    .map((sentence) => sentence.replace(/^\s*(?:[>*#•–-]+|\(?\d{1,2}[.)])\s+/u, '').trim())
    .filter((sentence) => sentence !== '');
}

/** Shortens a sentence to the clauses around the first match of a pattern. */
export function clausesAround(sentence: string, pattern: RegExp, length: number): string {
  if (sentence.length <= length) return sentence;
  const clauses = sentence.split(/(?<=[,:;)])\s+|\s+(?=(?:but|and|so|because|since|otherwise|–|—|-)\s)/u);
  let first = Math.max(
    0,
    clauses.findIndex((clause) => pattern.test(clause)),
  );
  let last = first;
  const size = (from: number, to: number): number => clauses.slice(from, to + 1).join(' ').length;
  // The reason of a limit follows it, so clauses after it come first.
  while (last + 1 < clauses.length && size(first, last + 1) <= length) last += 1;
  while (first > 0 && size(first - 1, last) <= length) first -= 1;
  const text = clauses.slice(first, last + 1).join(' ');
  const shown = text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, '');
  return `${first > 0 ? '… ' : ''}${shown}${last + 1 < clauses.length || shown !== text ? ' …' : ''}`;
}
