import { hmacSha256 } from '../base/digest.ts';

/** From this length on, loading `node:crypto` is faster than hashing without it. */
const LONG_CHARACTERS = 32 * 1024;

/** Signs content of any length with HMAC-SHA-256, as hex. */
export function signContent(key: Uint8Array, content: string): string {
  if (content.length < LONG_CHARACTERS) return hmacSha256(key, content);
  return process.getBuiltinModule('node:crypto').createHmac('sha256', key).update(content).digest('hex');
}
