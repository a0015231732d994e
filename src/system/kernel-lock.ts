import { closeSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { discardFile } from './durable-file.ts';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import type { Libc } from './libc/libc.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { sleep } from '../base/sleep.ts';

/**
 * A lock that the kernel releases when its holder exits or is killed. It is for long work, such as a run: `withLock` cannot detect
 * whether a holder in another container is still running.
 */
export interface KernelLock {
  readonly release: () => void;
  /** Releases the lock and removes its file; processes that opened the file before detect the removal. */
  readonly remove: () => void;
}

/** Takes a lock if it is free. */
export function tryKernelLock(libc: Libc, path: string): KernelLock | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'a', 0o600);
    if (!libc.tryLock(file) || !isFileOf(file, path)) return undefined;
    const held = file;
    file = undefined;
    return {
      release: () => closeSync(held),
      remove: () => {
        discardFile(path);
        closeSync(held);
      },
    };
  } catch (error) {
    throw faultFromSystem(error, 'take the lock', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The previous holder may have removed the file after we opened it. */
function isFileOf(file: number, path: string): boolean {
  return fstatSync(file).ino === lstatSync(path, { throwIfNoEntry: false })?.ino;
}

const PAUSE_MS = 10;

/** Waits for a lock; E_TIMEOUT when another process holds it. */
export async function takeKernelLock(libc: Libc, path: string, waitMs: number): Promise<KernelLock> {
  const deadline = monotonicMs() + waitMs;
  for (;;) {
    const lock = tryKernelLock(libc, path);
    if (lock !== undefined) return lock;
    if (monotonicMs() > deadline) {
      throw new Fault('E_TIMEOUT', `Another process held the lock ${path} for ${waitMs} ms.`, {
        hint: 'Wait for the other command to finish, then run this one again.',
        details: { path },
      });
    }
    await sleep(PAUSE_MS);
  }
}
