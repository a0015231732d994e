import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as hashBytes } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * SHA-256 without `node:crypto`: every call hashes a line or two, and loading that module costs more than the whole audit line.
 * Bun has the same hash built in and ready.
 */
interface NativeHash {
  readonly update: (content: string | Uint8Array) => NativeHash;
  readonly digest: (encoding: 'hex') => string;
}

type NativeHashConstructor = new (algorithm: 'sha256', key?: Uint8Array) => NativeHash;

const Native = (globalThis as { Bun?: { CryptoHasher: NativeHashConstructor } }).Bun?.CryptoHasher;

/** Hashes text or bytes with SHA-256, as hex. */
export function sha256(content: string | Uint8Array): string {
  if (Native !== undefined) return new Native('sha256').update(content).digest('hex');
  return bytesToHex(hashBytes(typeof content === 'string' ? utf8ToBytes(content) : content));
}

/** Signs text with HMAC-SHA-256, as hex. */
export function hmacSha256(key: Uint8Array, content: string): string {
  if (Native !== undefined) return new Native('sha256', key).update(content).digest('hex');
  return bytesToHex(hmac(hashBytes, key, utf8ToBytes(content)));
}

/** Compares two texts in time that does not depend on where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}
