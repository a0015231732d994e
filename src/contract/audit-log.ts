import { existsSync, fsyncSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../base/limits.ts';
import { syncFolder, writeWhole } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';
import { CHAIN_START, renderLine, sealEntry } from './audit-chain.ts';
import type { AuditEntry } from './audit-chain.ts';
import { hasAuditAnchor, setAuditAnchor } from './audit-anchor.ts';
import type { AuditClock } from './audit-clock.ts';
import { AUDIT_KEY, openAuditKey, readAuditKey } from './audit-key.ts';
import { listRetired, logFiles, logNameOf } from './audit-files.ts';
import { auditLock, readLockedHead, writeAuditHead, type AuditHead } from './audit-head.ts';
import { describeTorn } from './audit-ending.ts';
import { readTail } from './audit-tail.ts';
import { withAuditFile } from './with-audit-file.ts';
import type { ChainPosition } from './find-audit-end.ts';
import { wasWritten, recordWitness } from './audit-witness.ts';
import type { Home } from './home.ts';

export const AUDIT_FOLDER = 'audit';

/** The note on a line that was appended without a head: lines removed before it cannot be detected. */
export const HEAD_LOST = 'head restored';

/**
 * Appends one entry under a lock between processes. The cost does not grow with the log: the head records where the chain
 * ends. After a crash, a valid line after the head is kept, an incomplete one is removed, and the new line notes what is missing.
 * Returns how the clock compares with the log.
 */
export async function appendAudit(
  home: Home,
  entry: AuditEntry,
  options: { readonly sync: boolean },
): Promise<AuditClock> {
  const folder = home.folder(AUDIT_FOLDER);
  return withLock(auditLock(folder), () => appendLocked(home, folder, entry, options.sync), {
    waitMs: LIMITS.auditWaitMs,
  });
}

async function appendLocked(
  home: Home,
  folder: string,
  entry: AuditEntry,
  sync: boolean,
): Promise<AuditClock> {
  const head = readLockedHead(folder) ?? startLog(home, folder, entry);
  const knownKey = readAuditKey(folder);
  const isWitnessed = head !== undefined && knownKey !== undefined && wasWritten(folder, knownKey, head);
  // A key that a witness has seen with this head is the right one. At the first call after a restart there is no witness, so the key is checked.
  if (!isWitnessed) (await import('./check-audit-key.ts')).assertAuditKey(folder, knownKey);
  const key = knownKey ?? openAuditKey(folder);
  const start =
    head === undefined
      ? (await import('./find-audit-end.ts')).findAuditEnd(folder, key)
      : positionOf(folder, head, isWitnessed);
  const known = head === undefined ? logFiles(folder).filter((name) => name >= start.file) : [head.file];
  const newest = known.at(-1);
  const month = logName(entry.at, newest);
  const startsMonth = newest !== undefined && month > newest;
  const clock: AuditClock = startsMonth
    ? (await import('./audit-clock.ts')).readAuditClock(join(folder, newest), entry.at)
    : { state: 'plausible' };
  const file = startsMonth && clock.state === 'ahead' ? newest : month;
  let { end } = start;
  let repaired = false;
  const readEnd = (log: number, name: string): number => {
    const tail = readTail(log, name === start.file ? start.bytes : 0, end, key, start.crashed);
    end = tail.end;
    repaired ||= tail.repaired;
    return tail.bytes;
  };
  for (const name of known.filter((other) => other !== file))
    withAuditFile(folder, name, (log) => {
      readEnd(log, name);
      // The new file is flushed from its first line on, so what precedes it must not be lost either.
      fsyncSync(log);
    });
  withAuditFile(folder, file, (log) => {
    const bytesBefore = readEnd(log, file);
    const lost = head !== undefined && start.crashed && end.seq < head.seq;
    const notes = [
      ...(head === undefined ? [HEAD_LOST] : []),
      ...(start.crashed && (lost || repaired) ? [describeTorn(end.seq + 1, lost ? head.seq : 0)] : []),
    ];
    const line = sealEntry(notes.length === 0 ? entry : withNotes(entry, notes), end, key);
    const bytes = bytesBefore + writeWhole(log, renderLine(line));
    // The first line of a file is flushed with its name, so that a file whose name was lost contains no flushed line. So is the first
    // one that the head has of it: the head names a flushed line of the same file.
    const flush = sync || notes.length > 0 || bytesBefore === 0 || file !== head?.file;
    if (flush) fsyncSync(log);
    if (bytesBefore === 0) syncFolder(folder);
    const last = { seq: line.seq, hash: line.hash, bytes };
    const synced = flush ? last : head?.synced;
    const headLostAt = head === undefined ? line.seq : head.lost;
    writeAuditHead(folder, { ...last, file, synced, lost: headLostAt }, head !== undefined);
    recordWitness(folder, key, line);
  });
  setAuditAnchor(home);
  return clock;
}

function withNotes(entry: AuditEntry, notes: readonly string[]): AuditEntry {
  // A lost head is recognized by this note, so it has no other text.
  if (notes[0] === HEAD_LOST) return { ...entry, note: HEAD_LOST };
  return { ...entry, note: [...notes, entry.note ?? ''].join(' ').trim() };
}

/** Where to read the log from: its head, or the last flushed line when the computer may have stopped since. */
function positionOf(folder: string, head: AuditHead, isWitnessed: boolean): ChainPosition {
  const { synced, file } = head;
  const size = statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  if (synced === undefined || size < synced.bytes || isWitnessed)
    return { file, end: head, bytes: head.bytes, crashed: false };
  return { file, end: synced, bytes: synced.bytes, crashed: true };
}

/**
 * Writes the head of a log that has no lines yet. It is written before the key, so that a key without a head means that lines were
 * removed, even if the process is killed or the disk is full at any point of the first append.
 */
function startLog(home: Home, folder: string, entry: AuditEntry): AuditHead | undefined {
  const isUsed =
    existsSync(join(folder, AUDIT_KEY)) ||
    logFiles(folder).length > 0 ||
    listRetired(folder).length > 0 ||
    hasAuditAnchor(home);
  if (isUsed) return undefined;
  const start = { seq: 0, hash: CHAIN_START, bytes: 0 };
  const head = { ...start, file: logName(entry.at, undefined), synced: start };
  writeAuditHead(folder, head, false);
  return head;
}

/** Months only advance, even when the clock is set back, because the chain has one order. */
function logName(at: string, newest: string | undefined): string {
  const name = logNameOf(at.slice(0, 7));
  return newest !== undefined && newest > name ? newest : name;
}
