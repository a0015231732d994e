/** A part is about as long as the answer to one question. */
const PART_CHARACTERS = 320;
/** Only the beginning of a long value is divided; its other words are still found by the index. */
const MAX_CHARACTERS = 64_000;

/**
 * Divides a text into overlapping parts of a few sentences: each begins with the last sentence of the previous part, so that two
 * neighbouring sentences are always together in one part.
 */
export function splitParts(text: string): string[] {
  const sentences = text
    .slice(0, MAX_CHARACTERS)
    .split(/\n+|(?<=[.!?。！？])\s+/u)
    .flatMap((sentence) => breakLong(sentence.trim()))
    .filter((sentence) => sentence !== '');
  const parts: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const sentence of sentences) {
    if (length > 0 && length + sentence.length > PART_CHARACTERS) {
      parts.push(current.join(' '));
      const last = current.at(-1) ?? '';
      current = last.length + sentence.length <= PART_CHARACTERS && current.length > 1 ? [last] : [];
      length = current.length === 0 ? 0 : last.length + 1;
    }
    current.push(sentence);
    length += sentence.length + 1;
  }
  if (current.length > 0) parts.push(current.join(' '));
  return parts;
}

function breakLong(sentence: string): string[] {
  if (sentence.length <= PART_CHARACTERS) return [sentence];
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > PART_CHARACTERS) {
    const space = rest.lastIndexOf(' ', PART_CHARACTERS);
    const end = space > PART_CHARACTERS / 2 ? space : PART_CHARACTERS;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}
