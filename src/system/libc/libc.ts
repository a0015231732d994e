import { getSystemErrorName } from 'node:util';
import { Fault } from '../../base/fault.ts';
import type { NativeLibrary, NativeResult } from './symbols.ts';

/** A name in an open folder; it stays valid when a parent folder is moved or replaced by a link. */
export interface AnchoredPath {
  readonly folder: number;
  readonly name: string;
}

/**
 * System calls that Node does not offer. Contract: a failed call throws an error with the system's `code` (`ESRCH`, `EEXIST` …);
 * there is no fallback.
 */
export interface Libc {
  /** Opens a descriptor of a process that stays valid when its pid is reused; close it with `closeSync`. */
  readonly pidfdOpen: (pid: number) => number;
  readonly pidfdSendSignal: (pidfd: number, signal: number) => void;
  /** Whether the process has exited; also true for a zombie. */
  readonly pidfdHasEnded: (pidfd: number) => boolean;
  /** Swaps two entries of one file system atomically. */
  readonly renameExchange: (left: AnchoredPath, right: AnchoredPath) => void;
  /** Renames; fails with EEXIST when the target exists. */
  readonly renameNoReplace: (from: AnchoredPath, to: AnchoredPath) => void;
  /** Takes the lock of an open file if it is free; the kernel releases it when its last descriptor is closed. */
  readonly tryLock: (fd: number) => boolean;
  readonly unlock: (fd: number) => void;
  /**
   * Accesses files as another account during a synchronous action; only root can. The kernel then checks the rights of that account,
   * and new entries belong to it.
   */
  readonly asAccount: <T>(account: { readonly uid: number; readonly gid: number }, action: () => T) => T;
  /** Starts to write the content of an open file to disk without waiting for it; a later `fsync` is still needed, but shorter. */
  readonly startWriteback: (fd: number) => void;
  /** Gives this process and its children a new session keyring, so that they no longer possess the keys of the account. */
  readonly leaveSessionKeyring: () => void;
  /** Reads a short extended attribute without following a link; undefined when it does not exist. */
  readonly readAttribute: (path: string, name: string) => Uint8Array | undefined;
  /** Writes an extended attribute without following a link; undefined removes it. */
  readonly writeAttribute: (path: string, name: string, value: Uint8Array | undefined) => void;
}

/** As the folder of an `AnchoredPath` this means the working folder, so `name` can be any path. */
export const WORKING_FOLDER = -100;

const PIDFD_SEND_SIGNAL = 424;
const PIDFD_OPEN = 434;
const RENAME_NOREPLACE = 1;
const RENAME_EXCHANGE = 2;
const LOCK_EXCLUSIVE_NOW = 2 | 4;
const LOCK_RELEASE = 8;
const SYNC_FILE_RANGE_WRITE = 2;
const POLLIN = 1;
const KEYCTL_X64 = 250;
const KEYCTL_ARM64 = 219;
const JOIN_SESSION_KEYRING = 1;
const ATTRIBUTE_BYTES = 256;
const NO_ATTRIBUTE: ReadonlySet<string> = new Set(['ENODATA', 'ENOTSUP', 'EOPNOTSUPP']);

let opened: Promise<Libc> | undefined;

/** Opens the C library once per process; it takes some milliseconds that ordinary commands do not spend. */
export function openLibc(): Promise<Libc> {
  opened ??= loadLibrary().then(createLibc);
  return opened;
}

/** Loads the C library of this system for calls that `Libc` does not wrap. */
export async function loadLibrary(): Promise<NativeLibrary> {
  try {
    if ('Bun' in globalThis) return await (await import('./load-with-bun.ts')).loadWithBun();
    return await (await import('./load-with-koffi.ts')).loadWithKoffi();
  } catch (error) {
    throw new Fault('E_CONFIG', 'The required system calls are not available on this machine.', {
      hint: 'Use Linux with glibc or musl; under Node the package koffi must be installed too.',
      cause: error,
    });
  }
}

function createLibc(library: NativeLibrary): Libc {
  const rename = (from: AnchoredPath, to: AnchoredPath, flags: number): void => {
    const result = library.renameat2(from.folder, toCString(from.name), to.folder, toCString(to.name), flags);
    orThrow('renameat2', result);
  };
  return {
    pidfdOpen: (pid) => orThrow('pidfd_open', library.syscall(PIDFD_OPEN, pid, 0, 0, 0)),
    pidfdSendSignal: (pidfd, signal) => {
      orThrow('pidfd_send_signal', library.syscall(PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0));
    },
    pidfdHasEnded: (pidfd) => {
      const request = new DataView(new ArrayBuffer(8));
      request.setInt32(0, pidfd, true);
      request.setInt16(4, POLLIN, true);
      for (;;) {
        const result = library.poll(new Uint8Array(request.buffer), 1, 0);
        // A signal, such as SIGCHLD, can interrupt the call.
        if (result.value !== -1 || errorName(result.errno) !== 'EINTR') return orThrow('poll', result) > 0;
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
      orThrow('flock', result);
      return true;
    },
    unlock: (fd) => {
      orThrow('flock', library.flock(fd, LOCK_RELEASE));
    },
    asAccount: ({ uid, gid }, action) => {
      const before = { gid: library.setfsgid(gid).value, uid: library.setfsuid(uid).value };
      try {
        // The calls report no errors; a second one returns the current value.
        if (library.setfsuid(uid).value !== uid)
          throw Object.assign(new Error('setfsuid failed: EPERM'), { code: 'EPERM', syscall: 'setfsuid' });
        return action();
      } finally {
        library.setfsuid(before.uid);
        library.setfsgid(before.gid);
      }
    },
    startWriteback: (fd) => {
      // A file system that cannot do it writes everything at the fsync.
      library.sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    },
    leaveSessionKeyring: () => {
      // A kernel without keyrings has no keys to protect.
      library.syscall(process.arch === 'arm64' ? KEYCTL_ARM64 : KEYCTL_X64, JOIN_SESSION_KEYRING, 0, 0, 0);
    },
    readAttribute: (path, name) => {
      const value = new Uint8Array(ATTRIBUTE_BYTES);
      const result = library.lgetxattr(toCString(path), toCString(name), value, ATTRIBUTE_BYTES);
      if (result.value === -1 && NO_ATTRIBUTE.has(errorName(result.errno))) return undefined;
      return value.subarray(0, orThrow('lgetxattr', result));
    },
    writeAttribute: (path, name, value) => {
      if (value === undefined)
        orThrow('lremovexattr', library.lremovexattr(toCString(path), toCString(name)));
      else orThrow('lsetxattr', library.lsetxattr(toCString(path), toCString(name), value, value.length, 0));
    },
  };
}

/** Returns the value of a call, or throws an error with the system's code. */
export function orThrow(call: string, { value, errno }: NativeResult): number {
  if (value !== -1) return value;
  const code = errorName(errno);
  throw Object.assign(new Error(`${call} failed: ${code}`), { code, errno, syscall: call });
}

function errorName(errno: number): string {
  return getSystemErrorName(-errno);
}

/** A NUL-terminated string for a call. */
export function toCString(text: string): Uint8Array {
  if (text.includes('\0')) throw new Fault('E_VALIDATION', 'A path cannot contain a NUL byte.');
  return Buffer.from(`${text}\0`);
}
