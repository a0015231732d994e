import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../base/error-message.ts';
import { settingsOf } from '../config/settings-of.ts';
import type { CommandContext } from '../contract/command.ts';
import type { Home } from '../contract/home.ts';
import { isCleaningDue } from '../contract/once-a-day.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { BACKUPS, lastEventOf, listBackups, setAsideName } from './backup-files.ts';
import { copyStoreDaily, readIntact } from './copy-store-daily.ts';
import { startStoreCopy } from './store-copy/start-store-copy.ts';

/** A larger store is not copied by an ordinary call; `store backup` copies it. */
const MAX_AUTOMATIC_BYTES = 4 * 1024 ** 3;
/** A store of this size is copied in a fraction of a second; a larger one by another process, so that the call does not wait. */
const MAX_INLINE_BYTES = 16 * 1024 ** 2;
/** Why the last copy was not made; empty while it is made. */
const PROBLEM = 'problem';
const MAX_COPY_MS = 60 * 60_000;

/** Reads the newest copy in which no damage is found; undefined if there is none. */
export function readNewestBackup<T>(
  home: Home,
  work: (database: string, backup: string) => T,
): T | undefined {
  for (const backup of listBackups(home).toReversed()) {
    const result = readIntact(home, backup, (file) => ({ value: work(file, backup) }));
    if (result !== undefined) return result.value;
  }
  return undefined;
}

/**
 * Copies the store of the home once a day, and keeps the newest copies. A large store is copied by a process that the call does not wait
 * for; if that process did not finish, the first call of the next day copies the store itself. Never throws: the caller's write succeeded.
 */
export function backupWhenDue(path: string, context: CommandContext): void {
  const { home, system } = context;
  try {
    // Commands that do not use the store call this too, possibly before the first write to it.
    if (path !== home.at('deed.db') || !existsSync(path)) return;
    const now = system.clock.now();
    if (!isCleaningDue(home.folder(BACKUPS), now)) return;
    const keep = copiesToKeep(context);
    if (keep === 0 || isTooLargeToCopy(path)) return;
    const earlier = readBackupProblem(home, now);
    const isInline = statSync(path).size <= MAX_INLINE_BYTES || earlier === UNFINISHED;
    if (isInline) {
      const problem = copyStoreOrRecordProblem(home, keep, now);
      if (problem !== undefined) context.warn(describeBackupProblem(problem));
      return;
    }
    if (earlier !== undefined) context.warn(describeBackupProblem(earlier));
    writeFileSync(home.at(BACKUPS, PROBLEM), '', { mode: 0o600 });
    startStoreCopy(context);
  } catch (error) {
    context.warn(describeBackupProblem(errorMessage(error)));
  }
}

/**
 * Copies the store of the home, in a separate process that a call has started. Does nothing if no call has requested a copy: a user may
 * start this process by hand, and then it must neither make nor remove a copy.
 */
export function copyIfRequested(context: Pick<CommandContext, 'tool' | 'system' | 'home'>): void {
  const { home, system } = context;
  if (readFileIfPresent(home.at(BACKUPS, PROBLEM)) === '')
    copyStoreOrRecordProblem(home, copiesToKeep(context), system.clock.now());
}

function copiesToKeep(context: Pick<CommandContext, 'tool' | 'system' | 'home'>): number {
  return Number(settingsOf(context).get('store.backups').value);
}

/** Copies the store of the home, and records why if that is not possible. */
export function copyStoreOrRecordProblem(home: Home, keep: number, nowMs: number): string | undefined {
  let problem: string | undefined;
  const note = join(home.folder(BACKUPS), PROBLEM);
  try {
    problem = copyStoreDaily(home, keep, nowMs);
  } catch (error) {
    problem = errorMessage(error);
  }
  if (problem === undefined) rmSync(note, { force: true });
  else writeFileSync(note, problem, { mode: 0o600 });
  return problem;
}

const UNFINISHED = 'the process that copied it was killed';

/** Why the last copy was not made; undefined if it was, or is being made. */
export function readBackupProblem(home: Home, nowMs: number): string | undefined {
  const text = readFileIfPresent(home.at(BACKUPS, PROBLEM));
  if (text !== '') return text;
  const startedMs = statSync(home.at(BACKUPS, PROBLEM), { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
  return nowMs - startedMs > MAX_COPY_MS ? UNFINISHED : undefined;
}

export function describeBackupProblem(problem: string): string {
  return `The store was not backed up: ${problem.replace(/\.$/u, '')}.`;
}

export function isTooLargeToCopy(path: string): boolean {
  return statSync(path).size > MAX_AUTOMATIC_BYTES;
}

/** Sets aside the backups that contain more than a restored store: they are kept, but the store is no longer compared with them. */
export function setAsideNewer(home: Home, lastEvent: number): void {
  for (const path of listBackups(home))
    if (lastEventOf(path) > lastEvent) renameSync(path, setAsideName(path, 'replaced'));
}
