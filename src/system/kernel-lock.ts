import { closeSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { discardFile } from './durable-file.ts';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import type { Libc } from './libc/libc.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { sleep } from '../base/sleep.ts';

/**
 * A lock that the kernel gives back when its holder ends, however it ends. It guards what takes long, such as a run: `withLock` cannot tell
 * whether a holder in another container still lives.
 */
export interface KernelLock {
  readonly release: () => void;
  /** Gives the lock back and removes its file; others who opened that file notice that it is no longer the lock's. */
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

/** Whoever held the lock before may have removed the file that we opened meanwhile. */
function isFileOf(file: number, path: string): boolean {
  return fstatSync(file).ino === lstatSync(path, { throwIfNoEntry: false })?.ino;
}

const PAUSE_MS = 10;

/** Waits for a lock; E_TIMEOUT when another process keeps it. */
export async function takeKernelLock(libc: Libc, path: string, waitMs: number): Promise<KernelLock> {
  const deadline = monotonicMs() + waitMs;
  for (;;) {
    const lock = tryKernelLock(libc, path);
    if (lock !== undefined) return lock;
    if (monotonicMs() > deadline) {
      throw new Fault('E_TIMEOUT', `Another process kept the lock ${path} for ${waitMs} ms.`, {
        hint: 'Wait for the other command to end, then run this one again.',
        details: { path },
      });
    }
    await sleep(PAUSE_MS);
  }
}
