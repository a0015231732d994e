import { createHasher, hash } from 'blake3-jit';

/** Hashes text or bytes with BLAKE3, as hex. */
export function blake3Hex(content: string | Uint8Array): string {
  return toHex(hash(typeof content === 'string' ? Buffer.from(content) : content));
}

/** An incremental BLAKE3 hash. */
export interface RunningHash {
  readonly update: (bytes: Uint8Array) => void;
  readonly hex: () => string;
}

export function startBlake3(): RunningHash {
  const hasher = createHasher();
  return { update: (bytes) => void hasher.update(bytes), hex: () => toHex(hasher.finalize()) };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
