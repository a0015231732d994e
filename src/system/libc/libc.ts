import { getSystemErrorName } from 'node:util';
import { Fault } from '../../base/fault.ts';
import type { NativeLibrary, NativeResult } from './symbols.ts';

/** A name inside an open folder: what it means cannot change by moving or linking a folder above it. */
export interface AnchoredPath {
  readonly folder: number;
  readonly name: string;
}

/**
 * What the kernel offers and Node does not. Contract: a call that fails throws an error whose `code` is the system's (`ESRCH`,
 * `EEXIST` …); nothing falls back to a weaker way.
 */
export interface Libc {
  /** Opens a descriptor that means this very process, even after its pid is used again; close it with `closeSync`. */
  readonly pidfdOpen: (pid: number) => number;
  readonly pidfdSendSignal: (pidfd: number, signal: number) => void;
  /** Tells whether the process has ended; true for one that its parent has not collected yet. */
  readonly pidfdHasEnded: (pidfd: number) => boolean;
  /** Swaps two entries of one file system in a single step. */
  readonly renameExchange: (left: AnchoredPath, right: AnchoredPath) => void;
  /** Renames, and fails with EEXIST rather than replace anything. */
  readonly renameNoReplace: (from: AnchoredPath, to: AnchoredPath) => void;
  /** Takes the lock of an open file if it is free; the kernel gives it back when the last descriptor of it closes. */
  readonly tryLock: (fd: number) => boolean;
  readonly unlock: (fd: number) => void;
  /** Reads a short extended attribute of an entry, itself and not what it links to; nothing when it has none of that name. */
  readonly readAttribute: (path: string, name: string) => Uint8Array | undefined;
}

/** A folder of `AnchoredPath` that stands for the working folder, so that `name` may be any path. */
export const WORKING_FOLDER = -100;

const PIDFD_SEND_SIGNAL = 424;
const PIDFD_OPEN = 434;
const RENAME_NOREPLACE = 1;
const RENAME_EXCHANGE = 2;
const LOCK_EXCLUSIVE_NOW = 2 | 4;
const LOCK_RELEASE = 8;
const POLLIN = 1;
const ATTRIBUTE_BYTES = 256;
const NO_ATTRIBUTE: ReadonlySet<string> = new Set(['ENODATA', 'ENOTSUP', 'EOPNOTSUPP']);

let opened: Promise<Libc> | undefined;

/** Opens the C library, once a process; it costs some milliseconds that ordinary commands do not need. */
export function openLibc(): Promise<Libc> {
  opened ??= loadLibrary().then(createLibc);
  return opened;
}

async function loadLibrary(): Promise<NativeLibrary> {
  try {
    if ('Bun' in globalThis) return await (await import('./load-with-bun.ts')).loadWithBun();
    return await (await import('./load-with-koffi.ts')).loadWithKoffi();
  } catch (error) {
    throw new Fault('E_CONFIG', 'The system calls this needs cannot be reached on this machine.', {
      hint: 'It takes Linux with glibc or musl; under Node the package koffi must be installed too.',
      cause: error,
    });
  }
}

function createLibc(library: NativeLibrary): Libc {
  const rename = (from: AnchoredPath, to: AnchoredPath, flags: number): void => {
    const result = library.renameat2(from.folder, cText(from.name), to.folder, cText(to.name), flags);
    succeed('renameat2', result);
  };
  return {
    pidfdOpen: (pid) => succeed('pidfd_open', library.syscall(PIDFD_OPEN, pid, 0, 0, 0)),
    pidfdSendSignal: (pidfd, signal) => {
      succeed('pidfd_send_signal', library.syscall(PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0));
    },
    pidfdHasEnded: (pidfd) => {
      const request = new DataView(new ArrayBuffer(8));
      request.setInt32(0, pidfd, true);
      request.setInt16(4, POLLIN, true);
      for (;;) {
        const result = library.poll(new Uint8Array(request.buffer), 1, 0);
        // A signal that comes meanwhile, as of a child that ended, is no answer.
        if (result.value !== -1 || errorName(result.errno) !== 'EINTR') return succeed('poll', result) > 0;
      }
    },
    renameExchange: (left, right) => {
      rename(left, right, RENAME_EXCHANGE);
    },
    renameNoReplace: (from, to) => {
      rename(from, to, RENAME_NOREPLACE);
    },
    tryLock: (fd) => {
      const result = library.flock(fd, LOCK_EXCLUSIVE_NOW);
      if (result.value === -1 && errorName(result.errno) === 'EAGAIN') return false;
      succeed('flock', result);
      return true;
    },
    unlock: (fd) => {
      succeed('flock', library.flock(fd, LOCK_RELEASE));
    },
    readAttribute: (path, name) => {
      const value = new Uint8Array(ATTRIBUTE_BYTES);
      const result = library.lgetxattr(cText(path), cText(name), value, ATTRIBUTE_BYTES);
      if (result.value === -1 && NO_ATTRIBUTE.has(errorName(result.errno))) return undefined;
      return value.subarray(0, succeed('lgetxattr', result));
    },
  };
}

function succeed(call: string, { value, errno }: NativeResult): number {
  if (value !== -1) return value;
  const code = errorName(errno);
  throw Object.assign(new Error(`${call} failed: ${code}`), { code, errno, syscall: call });
}

function errorName(errno: number): string {
  return getSystemErrorName(-errno);
}

function cText(text: string): Uint8Array {
  if (text.includes('\0')) throw new Fault('E_VALIDATION', 'A path cannot hold a zero byte.');
  return Buffer.from(`${text}\0`);
}
