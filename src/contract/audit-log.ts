import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
} from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../base/limits.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { writeWhole } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';
import { CHAIN_START, checkLine, parseLine, renderLine, sealEntry } from './audit-chain.ts';
import type { AuditEntry } from './audit-chain.ts';
import { hasAuditAnchor, setAuditAnchor } from './audit-anchor.ts';
import { listRetired, logFiles, logNameOf } from './audit-files.ts';
import { auditLock, readAuditHead, writeAuditHead, type AuditHead } from './audit-head.ts';
import { chainStart, readRetired } from './audit-retired.ts';
import type { Home } from './home.ts';
import { openSecret } from '../system/secret.ts';

export const AUDIT_FOLDER = 'audit';
export const AUDIT_KEY = 'chain.key';

/** The note on a line that was appended without a head: lines removed before it cannot be detected. */
export const HEAD_LOST = 'head restored';

/**
 * Appends one entry under a lock between processes. The cost does not grow with the log: the head records where the chain
 * ends. After a crash, a valid line after the head is kept and an incomplete one is removed.
 */
export async function appendAudit(
  home: Home,
  entry: AuditEntry,
  options: { readonly sync: boolean },
): Promise<void> {
  const folder = home.folder(AUDIT_FOLDER);
  await withLock(
    auditLock(folder),
    () => {
      const head = readAuditHead(folder) ?? startLog(home, folder, entry, options);
      const key = openSecret(join(folder, AUDIT_KEY));
      const known = head === undefined ? logFiles(folder) : [head.file];
      const file = logName(entry.at, known.at(-1));
      let end: ChainEnd = head ?? chainStart(readRetired(folder));
      const readEnd = (log: number, name: string): number => {
        const caughtUp = catchUp(log, name === head?.file ? head.bytes : 0, end, key);
        end = caughtUp.end;
        return caughtUp.bytes;
      };
      for (const name of known) if (name !== file) useLog(folder, name, (log) => readEnd(log, name));
      useLog(folder, file, (log) => {
        const bytesBefore = readEnd(log, file);
        const line = sealEntry(head === undefined ? { ...entry, note: HEAD_LOST } : entry, end, key);
        const bytes = writeWhole(log, renderLine(line));
        if (options.sync) fsyncSync(log);
        const next = { seq: line.seq, hash: line.hash, file, bytes: bytesBefore + bytes };
        writeAuditHead(folder, next, { ...options, hadHead: head !== undefined });
      });
      setAuditAnchor(home);
    },
    { waitMs: LIMITS.auditWaitMs },
  );
}

/**
 * Writes the head of a log that has no lines yet. It is written before the key, so that a key without a head means that lines were
 * removed, even if the process is killed or the disk is full at any point of the first append.
 */
function startLog(
  home: Home,
  folder: string,
  entry: AuditEntry,
  options: { readonly sync: boolean },
): AuditHead | undefined {
  const isUsed =
    existsSync(join(folder, AUDIT_KEY)) ||
    logFiles(folder).length > 0 ||
    listRetired(folder).length > 0 ||
    hasAuditAnchor(home);
  if (isUsed) return undefined;
  const head = { seq: 0, hash: CHAIN_START, file: logName(entry.at, undefined), bytes: 0 };
  writeAuditHead(folder, head, { ...options, hadHead: false });
  return head;
}

interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
const APPEND = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW;

function useLog(folder: string, file: string, use: (log: number) => void): void {
  const path = join(folder, file);
  let log: number | undefined;
  try {
    // A link would append to a file somewhere else.
    log = openSync(path, APPEND, 0o600);
    use(log);
  } catch (error) {
    throw faultFromSystem(error, 'append to the audit log', path);
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/** Follows the chain past the known bytes of a file and removes an incomplete line at its end. */
function catchUp(
  log: number,
  known: number,
  from: ChainEnd,
  key: Uint8Array,
): { readonly end: ChainEnd; readonly bytes: number } {
  const { size } = fstatSync(log);
  if (size <= known) return { end: from, bytes: size };
  const tail = Buffer.alloc(size - known);
  readSync(log, tail, 0, tail.length, known);
  let end = from;
  let start = 0;
  for (let stop = tail.indexOf(10); stop >= 0; stop = tail.indexOf(10, start)) {
    const line = parseLine(tail.toString('utf8', start, stop));
    if (line && checkLine(line, end, key) === undefined) end = { seq: line.seq, hash: line.hash };
    start = stop + 1;
  }
  if (start < tail.length) ftruncateSync(log, known + start);
  return { end, bytes: known + start };
}

/** Months only advance, even when the clock is set back, because the chain has one order. */
function logName(at: string, newest: string | undefined): string {
  const name = logNameOf(at.slice(0, 7));
  return newest !== undefined && newest > name ? newest : name;
}
