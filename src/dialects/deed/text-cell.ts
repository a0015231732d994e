import { isPlainObject } from '../../base/json.ts';
import { agoInWords } from '../../base/ago-in-words.ts';
import { plainText } from '../../base/plain-text.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/u;

/** Renders one value on one line, without control characters. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (isFlat(item) ? cell(item) : '…')).join(', ') || '-';
  if (isPlainObject(value)) {
    const members = Object.entries(value).filter(([, member]) => isFlat(member));
    return members.map(([name, member]) => `${name} ${cell(member)}`).join(', ') || '-';
  }
  return plainText(value);
}

/** A time in words, such as "5 minutes ago"; undefined for any other value. */
export function timeCell(value: unknown, nowMs: number): string | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined;
  return Math.abs(nowMs - Date.parse(value)) < 60_000 ? 'just now' : agoInWords(value, nowMs);
}

/** Whether a value is a hash, which people cannot read. */
export function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[a-z0-9]+:)?[0-9a-f]{40,}$/u.test(value);
}

/** Whether a value is neither a list nor an object. */
export function isFlat(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
