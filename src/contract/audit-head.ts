import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';

/** The last line that was written, kept apart from the log so that a cut tail shows. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  readonly file: string;
  readonly bytes: number;
}

export const HEAD_NAME = 'head.json';
export const LOG_NAME = /^audit-\d{4}-\d{2}\.jsonl$/u;

/** All heads are of one length, so that a new one covers the old one whole and the file never changes its size. */
const HEAD_BYTES = 256;

/**
 * Rewrites the head, under the log's lock. It is done in place, by one write within one sector, so a process that dies leaves the
 * old head or the new one. A rename would do the same, but over an existing file ext4 writes the data out first, and that takes
 * longer than the rest of an ordinary call. It is not flushed either: after a power cut it may be an older one, and whoever appends
 * next follows the log from there.
 */
export function writeAuditHead(
  folder: string,
  head: AuditHead,
  options: { readonly sync: boolean; readonly hadHead: boolean },
): void {
  const path = join(folder, HEAD_NAME);
  const text = JSON.stringify(head).padEnd(HEAD_BYTES);
  // What is no head may be of any length.
  if (!options.hadHead) return writeFileDurably(path, text, options);
  const file = openSync(path, 'r+');
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
  return undefined;
}

/** Reads where the chain ends; nothing when there is no head, or none that can be read. */
export function readAuditHead(folder: string): AuditHead | undefined {
  const text = readFileIfPresent(join(folder, HEAD_NAME));
  if (text === undefined) return undefined;
  try {
    const head = JSON.parse(text) as AuditHead;
    const isHead =
      Number.isSafeInteger(head.seq) &&
      Number.isSafeInteger(head.bytes) &&
      typeof head.hash === 'string' &&
      LOG_NAME.test(head.file);
    return isHead ? head : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the head while nobody rewrites it, for those who do not append themselves. */
export async function readSettledHead(folder: string): Promise<AuditHead | undefined> {
  try {
    return await withLock(auditLock(folder), () => readAuditHead(folder));
  } catch {
    // A folder that takes no lock has no writer either.
    return readAuditHead(folder);
  }
}

/** Names the lock that everyone who appends holds. */
export function auditLock(folder: string): string {
  return join(folder, 'lock');
}
