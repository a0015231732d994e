import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Hashes text or bytes with SHA-256, as hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Signs text with HMAC-SHA-256, as hex. */
export function hmacSha256(key: Uint8Array, content: string): string {
  return createHmac('sha256', key).update(content).digest('hex');
}

/** Compares two texts in time that does not depend on where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
