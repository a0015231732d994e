import { linkSync, rmSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { randomId } from '../base/ids.ts';
import { LIMITS } from '../base/limits.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { readFileIfPresent, writeNewFile } from './durable-file.ts';
import { identifyProcess, isSameProcessAlive, type ProcessIdentity } from './process-identity.ts';

/**
 * A lock between processes, as a file.
 *
 * Taking it links a complete file to the lock's name, which fails when the name is taken. A lock whose holder has died is broken,
 * and that is where such locks go wrong: two breakers must not remove each other's fresh lock. So a breaker first takes a
 * lock on the right to remove *this one instance*, named by its nonce, then looks again. Breaking that second lock follows
 * the same rule, so a breaker that dies blocks nobody.
 */
interface LockRecord extends ProcessIdentity {
  readonly nonce: string;
}

export interface LockOptions {
  readonly waitMs?: number;
}

/** Runs an action while no other process holds the same lock. */
export async function withLock<T>(path: string, action: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const deadline = performance.now() + (options.waitMs ?? LIMITS.lockWaitMs);
  await acquire(path, deadline);
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(path: string, deadline: number): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    if (tryAcquire(path)) return;
    const holder = readHolder(path);
    if (holder !== undefined && !isSameProcessAlive(holder)) {
      await breakLock(path, holder, deadline);
      continue;
    }
    if (performance.now() > deadline) throw busy(path, holder);
    const pauseMs = Math.min(25, 1 + attempt);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function tryAcquire(path: string): boolean {
  const nonce = randomId();
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
    rmSync(candidate, { force: true });
  }
}

async function breakLock(path: string, stale: LockRecord, deadline: number): Promise<void> {
  const guard = `${path}.${stale.nonce.slice(0, 16)}`;
  await acquire(guard, deadline);
  try {
    if (readHolder(path)?.nonce === stale.nonce) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function readHolder(path: string): LockRecord | undefined {
  const text = readFileIfPresent(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LockRecord;
  } catch (error) {
    throw new Fault('E_IO', `The lock ${path} is damaged.`, {
      hint: 'Make sure that no deed process runs, then remove this file.',
      details: { path },
      cause: error,
    });
  }
}

let identity: ProcessIdentity | undefined;

function ownIdentity(): ProcessIdentity {
  identity ??= identifyProcess(process.pid) ?? { pid: process.pid, startedAt: '' };
  return identity;
}

function busy(path: string, holder: LockRecord | undefined): Fault {
  return new Fault('E_TIMEOUT', `Another process${holder ? ` (pid ${holder.pid})` : ''} holds ${path}.`, {
    hint: 'Wait for it to finish, then run the command again.',
    details: { path, ...(holder && { holder_pid: String(holder.pid) }) },
  });
}
