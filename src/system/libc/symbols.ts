/**
 * The C functions that Node offers no way to, declared once for both ways to call them. An `int` has 32 bits, a `long` 64;
 * `bytes` is a pointer to memory of ours, text included, which is passed as bytes that end in a zero.
 */
export type NativeType = 'int' | 'long' | 'bytes';

export interface NativeSymbol {
  readonly parameters: readonly NativeType[];
  readonly returns: 'int' | 'long';
}

export type NativeCall = (...values: readonly (number | Uint8Array)[]) => NativeResult;

/** What a call returned, with the system's error number when that was -1. */
export interface NativeResult {
  readonly value: number;
  readonly errno: number;
}

export type NativeLibrary = Readonly<Record<SymbolName, NativeCall>>;

export type SymbolName = keyof typeof SYMBOLS;

export const SYMBOLS = {
  flock: { parameters: ['int', 'int'], returns: 'int' },
  lgetxattr: { parameters: ['bytes', 'bytes', 'bytes', 'long'], returns: 'long' },
  poll: { parameters: ['bytes', 'long', 'int'], returns: 'int' },
  renameat2: { parameters: ['int', 'bytes', 'int', 'bytes', 'int'], returns: 'int' },
  // C libraries older than 2.36 have no functions for pidfds; the numbers are the same on every architecture.
  syscall: { parameters: ['long', 'long', 'long', 'long', 'long'], returns: 'long' },
} as const satisfies Readonly<Record<string, NativeSymbol>>;

export const SYMBOL_NAMES = Object.keys(SYMBOLS) as readonly SymbolName[];

/** Names under which systems keep their C library: glibc, then musl on either architecture. */
const LIBRARY_NAMES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

/** Opens the first C library that this system has. */
export function openFirstLibrary<T>(open: (name: string) => T): T {
  const failures: unknown[] = [];
  for (const name of LIBRARY_NAMES) {
    try {
      return open(name);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'This system has no C library that can be called.');
}
