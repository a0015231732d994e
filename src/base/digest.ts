import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as hashBytes } from '@noble/hashes/sha2.js';

/**
 * SHA-256 without `node:crypto`: an ordinary call hashes one line, and loading that module takes longer than hashing thousands.
 * The executable uses Bun's built-in hash, and its build omits the library.
 */
declare const __DEED_EXECUTABLE__: true;

interface NativeHash {
  readonly update: (content: string | Uint8Array) => NativeHash;
  readonly digest: (encoding: 'hex') => string;
}

declare const Bun: {
  readonly CryptoHasher: new (algorithm: 'sha256', key?: Uint8Array) => NativeHash;
};

const isNative = typeof __DEED_EXECUTABLE__ !== 'undefined';

/** Hashes text or bytes with SHA-256, as hex. */
export function sha256(content: string | Uint8Array): string {
  if (isNative) return new Bun.CryptoHasher('sha256').update(content).digest('hex');
  return hex(hashBytes(typeof content === 'string' ? Buffer.from(content) : content));
}

/** Signs text with HMAC-SHA-256, as hex. */
export function hmacSha256(key: Uint8Array, content: string): string {
  if (isNative) return new Bun.CryptoHasher('sha256', key).update(content).digest('hex');
  return hex(hmac(hashBytes, key, Buffer.from(content)));
}

/** Compares two strings in constant time. */
export function equalInConstantTime(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
