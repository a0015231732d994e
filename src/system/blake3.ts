import { createHasher, hash } from 'blake3-jit';
import { withJit } from './limit-jit.ts';

/** From this size on, code that is not compiled takes longer than to change the thresholds of the runtime. */
const LARGE_BYTES = 16 * 1024;

/** Hashes text or bytes with BLAKE3, as hex. */
export function blake3Hex(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return toHex(compiledFor(bytes, () => hash(bytes)));
}

/** An incremental BLAKE3 hash. */
export interface RunningHash {
  readonly update: (bytes: Uint8Array) => void;
  readonly hex: () => string;
}

export function startBlake3(): RunningHash {
  const hasher = createHasher();
  return {
    update: (bytes) => void compiledFor(bytes, () => hasher.update(bytes)),
    hex: () => toHex(hasher.finalize()),
  };
}

function compiledFor<T>({ length }: Uint8Array, compute: () => T): T {
  return length < LARGE_BYTES ? compute() : withJit(compute);
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
