/** Why a text cannot be stored and given back unchanged, or nothing when it can. */
export function unsafeText(text: string): 'nul byte' | 'invalid unicode' | undefined {
  if (text.includes('\u0000')) return 'nul byte';
  return text.isWellFormed() ? undefined : 'invalid unicode';
}

/**
 * Counts the bytes of a text in UTF-8. Short texts are counted by hand: a small call has no other use for the runtime's buffers, which it
 * would bring in as soon as a function that names them runs.
 */
export function utf8Length(text: string): number {
  if (text.length > COUNTED_BY_HAND) return longLength(text);
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Half of a pair counts two of the pair's four bytes.
    if (code > 0x7f) bytes += code < 0x800 || isHalfOfPair(text, index, code) ? 1 : 2;
  }
  return bytes;
}

const COUNTED_BY_HAND = 4096;

function longLength(text: string): number {
  return Buffer.byteLength(text);
}

function isHalfOfPair(text: string, index: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = code < 0xdc00 ? text.charCodeAt(index + 1) : text.charCodeAt(index - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other <= 0xdbff;
}

/** Shortens a text for a message; whole characters, never half of a surrogate pair. */
export function excerpt(text: string, length = 80): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Removes control characters, so that text from outside cannot steer a terminal. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are the point
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu, '\uFFFD');
}
