import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { LOG_NAME } from './audit-files.ts';

/** The last line that was written, stored apart from the log so that a truncated log is detected. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  readonly file: string;
  readonly bytes: number;
  /** The last line of the same file that is on disk for certain; undefined in heads of older versions, whose lines count as flushed. */
  readonly synced?: FlushedLine | undefined;
  /** The line that was appended without a head: lines before it may be missing. Kept until its month is retired. */
  readonly lost?: number | undefined;
}

export interface FlushedLine {
  readonly seq: number;
  readonly hash: string;
  readonly bytes: number;
}

export const HEAD_NAME = 'head.json';

/** All heads have the same length, so that a new one overwrites the old one completely. */
const HEAD_BYTES = 320;

/**
 * Rewrites the head under the log's lock. It is written in place, by one write within one sector, so a killed process leaves
 * either the old head or the new one. A rename would do the same, but ext4 flushes the data before it replaces a file, which
 * takes longer than the rest of an ordinary call. The head is not flushed: after a power loss it may be older than the log, and
 * the next append reads the log from there; or newer, because the disk may write both files in any order. It therefore names the
 * last line that was flushed before the head was written: only later lines can be lost in a power loss.
 */
export function writeAuditHead(folder: string, head: AuditHead, hadHead: boolean): void {
  const path = join(folder, HEAD_NAME);
  const text = renderHead(head);
  // An invalid head may have any length.
  if (!hadHead) return writeFileDurably(path, text.padEnd(HEAD_BYTES));
  const file = openSync(path, 'r+');
  try {
    writeSync(file, text.padEnd(HEAD_BYTES), 0);
  } finally {
    closeSync(file);
  }
  return undefined;
}

function renderHead({ seq, hash, file, bytes, synced, lost }: AuditHead): string {
  return JSON.stringify({
    seq,
    hash,
    file,
    bytes,
    ...(synced && { synced: [synced.seq, synced.hash, synced.bytes] }),
    ...(lost !== undefined && { lost }),
  });
}

const MAX_READS = 5;

/** Reads where the chain ends, under the log's lock; undefined when the head is missing or invalid. */
export function readLockedHead(folder: string): AuditHead | undefined {
  const text = readFileIfPresent(join(folder, HEAD_NAME));
  return text === undefined ? undefined : parseHead(text);
}

/** Like `readLockedHead`, but without the lock: a read that overlaps a write may see parts of both, so it is repeated until two reads agree. */
export function readAuditHead(folder: string): AuditHead | undefined {
  const path = join(folder, HEAD_NAME);
  let text = readFileIfPresent(path);
  for (let reads = 1; reads < MAX_READS; reads += 1) {
    const again = readFileIfPresent(path);
    if (again === text) break;
    text = again;
  }
  return text === undefined ? undefined : parseHead(text);
}

function parseHead(text: string): AuditHead | undefined {
  try {
    const given = JSON.parse(text) as Omit<AuditHead, 'synced'> & { readonly synced?: unknown };
    const isHead = isLine(given.seq, given.hash, given.bytes) && LOG_NAME.test(given.file);
    const head = { ...given, synced: parseSynced(given.synced) };
    // A head that was not written like this was edited.
    return isHead && renderHead(head) === text.trimEnd() ? head : undefined;
  } catch {
    return undefined;
  }
}

function parseSynced(value: unknown): FlushedLine | undefined {
  if (!Array.isArray(value)) return undefined;
  const [seq, hash, bytes] = value as unknown[];
  return isLine(seq, hash, bytes) ? ({ seq, hash, bytes } as FlushedLine) : undefined;
}

function isLine(seq: unknown, hash: unknown, bytes: unknown): boolean {
  return Number.isSafeInteger(seq) && Number.isSafeInteger(bytes) && typeof hash === 'string';
}

/** The path of the lock that is held during an append. */
export function auditLock(folder: string): string {
  return join(folder, 'lock');
}
