/**
 * The C functions that Node does not expose, declared once for both runtimes. An `int` has 32 bits, a `long` 64; `bytes` is a
 * pointer to our memory, also for NUL-terminated strings.
 */
export type NativeType = 'int' | 'long' | 'bytes';

export interface NativeSymbol {
  readonly parameters: readonly NativeType[];
  readonly returns: 'int' | 'long';
}

export type NativeCall = (...values: readonly (number | Uint8Array)[]) => NativeResult;

/** The return value of a call, with errno when it is -1. */
export interface NativeResult {
  readonly value: number;
  readonly errno: number;
}

export type NativeLibrary = Readonly<Record<SymbolName, NativeCall>>;

export type SymbolName = keyof typeof SYMBOLS;

export const SYMBOLS = {
  execve: { parameters: ['bytes', 'bytes', 'bytes'], returns: 'int' },
  fcntl: { parameters: ['int', 'int', 'long'], returns: 'int' },
  flock: { parameters: ['int', 'int'], returns: 'int' },
  lgetxattr: { parameters: ['bytes', 'bytes', 'bytes', 'long'], returns: 'long' },
  lremovexattr: { parameters: ['bytes', 'bytes'], returns: 'int' },
  lsetxattr: { parameters: ['bytes', 'bytes', 'bytes', 'long', 'int'], returns: 'int' },
  // Returns its first argument: the address of our memory, for structures that contain pointers.
  memmove: { parameters: ['bytes', 'bytes', 'long'], returns: 'long' },
  poll: { parameters: ['bytes', 'long', 'int'], returns: 'int' },
  prctl: { parameters: ['int', 'long', 'long', 'long', 'long'], returns: 'int' },
  renameat2: { parameters: ['int', 'bytes', 'int', 'bytes', 'int'], returns: 'int' },
  setfsgid: { parameters: ['int'], returns: 'int' },
  setfsuid: { parameters: ['int'], returns: 'int' },
  signal: { parameters: ['int', 'long'], returns: 'long' },
  sigprocmask: { parameters: ['int', 'bytes', 'long'], returns: 'int' },
  sync_file_range: { parameters: ['int', 'long', 'long', 'int'], returns: 'int' },
  // glibc before 2.36 has no pidfd functions; the syscall numbers are the same on every architecture.
  syscall: { parameters: ['long', 'long', 'long', 'long', 'long'], returns: 'long' },
} as const satisfies Readonly<Record<string, NativeSymbol>>;

export const SYMBOL_NAMES = Object.keys(SYMBOLS) as readonly SymbolName[];

/** File names of the C library: glibc, then musl on either architecture. */
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
  throw new AggregateError(failures, 'No usable C library was found on this system.');
}
