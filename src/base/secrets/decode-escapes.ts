interface Decoded {
  readonly text: string;
  /** Converts a place in the decoded text to the place in the original one. */
  readonly original: (place: { readonly start: number; readonly end: number }) => {
    readonly start: number;
    readonly end: number;
  };
}

/** The length of an escape in JSON: a backslash, `u` and four digits. */
const ESCAPE = 6;

/** Decodes escapes of letters, digits and punctuation, which need none; undefined when a text has no such escape. */
export function decodeEscapes(text: string): Decoded | undefined {
  if (!text.includes('\\u00')) return undefined;
  const places: number[] = [];
  const decoded = text.replaceAll(/\\u00(?<code>[2-7][0-9a-fA-F])/gu, (escape, code: string, at: number) => {
    const character = String.fromCodePoint(Number.parseInt(code, 16));
    if (!/[\w.-]/u.test(character)) return escape;
    places.push(at - places.length * (ESCAPE - 1));
    return character;
  });
  if (places.length === 0) return undefined;
  const before = (at: number): number => at + countBelow(places, at) * (ESCAPE - 1);
  return { text: decoded, original: ({ start, end }) => ({ start: before(start), end: before(end) }) };
}

/** Counts the numbers of a sorted list that are below a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
