import { linkSync, lstatSync, rmSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { isPlainObject } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { discardFile, readFileIfPresent, writeNewFile } from './durable-file.ts';
import { monotonicMs } from './monotonic-ms.ts';
import {
  identifyProcess,
  isSameProcessAlive,
  isStopped,
  processSpace,
  type ProcessIdentity,
} from './process-identity.ts';
import { sleep } from '../base/sleep.ts';
import { uniqueName } from './unique-name.ts';

/**
 * A file lock between processes, for short critical sections. Unlike `tryKernelLock` it needs no native code, so every call can use it.
 *
 * Acquiring it links a complete file to the lock's name, which fails when the name exists. A lock whose holder has exited is
 * broken. Two processes that break it must not remove each other's new lock, so a process first acquires a lock on the right
 * to remove *this instance*, named by its nonce, then checks again. Breaking that second lock follows the same rule, so a
 * process that is killed while breaking a lock blocks no other.
 */
interface LockRecord extends ProcessIdentity {
  readonly nonce: string;
  readonly space: string;
}

interface Holder extends LockRecord {
  readonly takenAtMs: number;
}

/** A lock is complete before it gets its name. An incomplete one has no holder: it is from a power loss, or was put there. */
const INCOMPLETE: Holder = { pid: 0, startedAt: '', nonce: 'incomplete', space: '', takenAtMs: 0 };

export interface LockOptions {
  readonly waitMs?: number;
  /** The action has not changed anything before taking this lock; a busy lock is then safe to retry. */
  readonly nothingChangedYet?: boolean;
}

/** Runs an action while no other process holds the same lock. */
export async function withLock<T>(
  path: string,
  action: () => T | Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const deadline = monotonicMs() + (options.waitMs ?? LIMITS.lockWaitMs);
  await acquire(path, deadline, options.nothingChangedYet);
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Whether a running process holds a lock. */
export function isLocked(path: string): boolean {
  const holder = readHolder(path);
  return holder !== undefined && !isStale(holder);
}

async function acquire(path: string, deadline: number, unchanged = false): Promise<void> {
  const throwIfWaitOver = watchHolder(path, deadline, unchanged);
  for (let attempt = 0; ; attempt += 1) {
    if (tryAcquire(path)) return;
    const holder = readHolder(path);
    if (holder !== undefined && isStale(holder)) {
      await breakLock(path, holder, deadline, unchanged);
      continue;
    }
    throwIfWaitOver(holder);
    await sleep(Math.min(25, 1 + attempt));
  }
}

/** Throws when the wait is over: at the deadline, or when the holder is a stopped process, which may stay stopped indefinitely. */
function watchHolder(
  path: string,
  deadline: number,
  unchanged: boolean,
): (holder: Holder | undefined) => void {
  let [nonce, since] = ['', 0];
  return (holder) => {
    const now = monotonicMs();
    if (holder?.nonce !== nonce) [nonce, since] = [holder?.nonce ?? '', now];
    const heldMs = now - since;
    const stopped =
      holder !== undefined && heldMs >= LIMITS.stoppedHolderMs && isVisible(holder) && isStopped(holder.pid);
    if (stopped || now > deadline) throw busy(path, holder, unchanged, stopped);
  };
}

function isVisible(holder: Holder): boolean {
  return holder.space === ownIdentity().space;
}

/** A process of another container or machine is not visible here; its lock is valid until it is older than any action takes. */
function isStale(holder: Holder): boolean {
  if (isVisible(holder)) return !isSameProcessAlive(holder);
  return Date.now() - holder.takenAtMs > LIMITS.foreignLockMs;
}

function tryAcquire(path: string): boolean {
  const nonce = uniqueName();
  const candidate = `${path}.${nonce}.tmp`;
  const record: LockRecord = { ...ownIdentity(), nonce };
  try {
    writeNewFile(candidate, JSON.stringify(record), 0o600, false);
    linkSync(candidate, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw faultFromSystem(error, 'take the lock', path);
  } finally {
    discardFile(candidate);
  }
}

async function breakLock(path: string, stale: Holder, deadline: number, unchanged: boolean): Promise<void> {
  const guard = `${path}.${stale.nonce}`;
  await acquire(guard, deadline, unchanged);
  try {
    if (readHolder(path)?.nonce === stale.nonce) rmSync(path, { force: true });
  } catch (error) {
    throw faultFromSystem(error, 'remove the lock', path);
  } finally {
    discardFile(guard);
  }
}

/** Reads the holder of a lock; undefined when it is free. */
function readHolder(path: string): Holder | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) return INCOMPLETE;
  const text = readFileIfPresent(path);
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  return record === undefined ? INCOMPLETE : { ...record, takenAtMs: stats.mtimeMs };
}

function parseRecord(text: string): LockRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return undefined;
    const { pid, startedAt, nonce, space } = value;
    // The nonce becomes part of a file name.
    if (typeof nonce !== 'string' || !/^[\w-]{1,100}$/u.test(nonce)) return undefined;
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof space !== 'string')
      return undefined;
    return { pid, startedAt, nonce, space };
  } catch {
    return undefined;
  }
}

let identity: Omit<LockRecord, 'nonce'> | undefined;

function ownIdentity(): Omit<LockRecord, 'nonce'> {
  identity ??= { pid: process.pid, startedAt: '', ...identifyProcess(process.pid), space: processSpace() };
  return identity;
}

function busy(path: string, holder: Holder | undefined, unchanged: boolean, stopped: boolean): Fault {
  if (holder === undefined)
    return new Fault('E_TIMEOUT', `Other processes kept ${path} locked.`, {
      hint: 'Wait for them to finish, then run the command again.',
      details: { path },
      unchanged,
    });
  const heldMs = Math.max(0, Math.round(Date.now() - holder.takenAtMs));
  const who = stopped ? 'A stopped process' : 'Another process';
  return new Fault('E_TIMEOUT', `${who} (pid ${holder.pid}) has held ${path} for ${heldMs} ms.`, {
    hint: stopped
      ? `Continue it with "kill -CONT ${holder.pid}" or kill it, then run the command again.`
      : 'Wait for it to finish, then run the command again.',
    details: { path, holder_pid: String(holder.pid), held_ms: heldMs, ...(stopped && { stopped: true }) },
    unchanged,
  });
}
