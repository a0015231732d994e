/**
 * SHA-256. The executable uses Bun's built-in hash: an ordinary call hashes one line, and loading `node:crypto` takes longer than hashing
 * thousands. The libraries run on Node, which has loaded it.
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
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(content).digest('hex');
}

/** Signs text with HMAC-SHA-256, as hex. */
export function hmacSha256(key: Uint8Array, content: string): string {
  if (isNative) return new Bun.CryptoHasher('sha256', key).update(content).digest('hex');
  return process.getBuiltinModule('node:crypto').createHmac('sha256', key).update(content).digest('hex');
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
