/*
 * An id is `<prefix>_<time><tail>`, such as `task_6a2x74g0k3m9p`: eight characters of time in milliseconds, and five that make it unique.
 * Ids sort by the time of their creation, also ids that one process creates within a millisecond.
 */

/** Crockford's base 32: sorts like the numbers it encodes, and has no letters that look like digits. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** Times are counted from this year. The time of an id of version 0.1.0 starts with 0 or 1, so newer ids sort after it. Eight characters last until 2054. */
const EPOCH_MS = Date.UTC(2020, 0, 1);
const TIME_LENGTH = 8;
const TAIL_LENGTH = 5;
const TAIL_COUNT = DIGITS.length ** TAIL_LENGTH;

/** What follows the prefix in an id; the time gets another character in 2054. */
export const ID_BODY = '[0-9a-hjkmnp-tv-z]{13,14}';
export const ID_TAIL = '[0-9a-hjkmnp-tv-z]{5}';

/** Creates an id that sorts by time. A collision is improbable, not impossible: the caller checks, and creates another one. */
export function createId(prefix: string, nowMs: number, tail: string = createTail(nowMs)): string {
  return `${prefix}_${encode(Math.max(0, nowMs - EPOCH_MS), TIME_LENGTH)}${tail}`;
}

let last = { ms: -1, tail: 0 };

/** Creates the tail of an id: random, and within the same millisecond the successor of the last one. */
export function createTail(nowMs: number): string {
  // Half of the range, so that successors cannot overflow.
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const tail = nowMs === last.ms ? last.tail + 1 : random % (TAIL_COUNT / 2);
  last = { ms: nowMs, tail };
  return encode(tail, TAIL_LENGTH);
}

function encode(value: number, length: number): string {
  let text = '';
  for (let rest = Math.floor(value); rest > 0; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS.charAt(rest % DIGITS.length) + text;
  return text.padStart(length, '0');
}

/** Creates an unguessable id of 128 random bits, as hex. */
export function randomId(): string {
  return randomHex(16);
}

/** Generates cryptographically random bytes, as hex. The global `crypto` needs no import that would slow the start. */
export function randomHex(byteCount: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(byteCount))).toString('hex');
}
