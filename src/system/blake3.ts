import { createHasher, hash } from 'blake3-jit';
import { withJit } from './limit-jit.ts';

/** Hashes text or bytes with BLAKE3, as hex. */
export function blake3Hex(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return toHex(withJit(bytes, hash));
}

/** An incremental BLAKE3 hash. */
export interface RunningHash {
  readonly update: (bytes: Uint8Array) => void;
  readonly hex: () => string;
}

export function startBlake3(): RunningHash {
  const hasher = createHasher();
  const update = (bytes: Uint8Array): unknown => hasher.update(bytes);
  return { update: (bytes) => void withJit(bytes, update), hex: () => toHex(hasher.finalize()) };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
