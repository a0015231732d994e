import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';
import { LOG_NAME } from './audit-files.ts';

/** The last line that was written, stored apart from the log so that a truncated log is detected. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  readonly file: string;
  readonly bytes: number;
}

export const HEAD_NAME = 'head.json';

/** All heads have the same length, so that a new one overwrites the old one completely. */
const HEAD_BYTES = 256;

/**
 * Rewrites the head under the log's lock. It is written in place, by one write within one sector, so a killed process leaves
 * either the old head or the new one. A rename would do the same, but ext4 flushes the data before it replaces a file, which
 * takes longer than the rest of an ordinary call. The head is not flushed: after a power loss it may be an older one, and the
 * next append reads the log from there.
 */
export function writeAuditHead(
  folder: string,
  head: AuditHead,
  options: { readonly sync: boolean; readonly hadHead: boolean },
): void {
  const path = join(folder, HEAD_NAME);
  const text = JSON.stringify(head).padEnd(HEAD_BYTES);
  // An invalid head may have any length.
  if (!options.hadHead) return writeFileDurably(path, text, options);
  const file = openSync(path, 'r+');
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
  return undefined;
}

/** Reads where the chain ends; undefined when the head is missing or invalid. */
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

/** Reads the head under the lock, for callers that do not append. */
export async function readSettledHead(folder: string): Promise<AuditHead | undefined> {
  try {
    return await withLock(auditLock(folder), () => readAuditHead(folder));
  } catch {
    // A folder where no lock can be created has no writer either.
    return readAuditHead(folder);
  }
}

/** The path of the lock that is held during an append. */
export function auditLock(folder: string): string {
  return join(folder, 'lock');
}
