import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hmacSha256, sha256 } from '../system/digest.ts';
import { ownUid } from '../system/account.ts';
import { assertPrivateFolder, ensurePrivateFolder } from '../system/private-folder.ts';
import { readFileIfPresent } from '../system/durable-file.ts';

/**
 * The last line of each log of this account, in memory: a power loss empties this folder. A log that ends before a line that is
 * recorded here was therefore cut, whereas a log that ends early without a record may have lost lines that were not on disk yet.
 */
const MEMORY = '/dev/shm';
const MAX_RECORDS = 256;
const KEEP_MS = 60 * 60 * 1000;
/** A file whose time says when old records were last removed. */
const REMOVED = 'removed';
/** Reading the times of thousands of records takes long, so not every new log does it. */
const REMOVE_EVERY_MS = 10 * 60 * 1000;

interface LastLine {
  readonly seq: number;
  readonly hash: string;
}

/** Records the last line of a log. Never throws: without a record, a cut is reported as lines lost in a power loss. */
export function recordWitness(folder: string, key: Uint8Array, line: LastLine, memory = MEMORY): void {
  try {
    const records = witnessFolder(memory);
    const path = join(records, nameOf(folder, key));
    if (!existsSync(path)) removeOldRecords(records);
    // Shorter than a page, so a reader sees the old record or the new one.
    writeFileSync(path, render(line), { mode: 0o600 });
  } catch {
    // See above.
  }
}

/** Whether the line was the last one of this log, or of a copy of it, at some time since the computer was started. */
export function wasWritten(folder: string, key: Uint8Array, line: LastLine, memory = MEMORY): boolean {
  const records = witnessPath(memory);
  const own = nameOf(folder, key);
  const expected = render(line);
  if (read(join(records, own)) === expected) return true;
  const prefix = chainOf(key);
  return namesIn(records).some(
    (name) => name !== own && name.startsWith(prefix) && read(join(records, name)) === expected,
  );
}

function removeOldRecords(folder: string): void {
  const marker = join(folder, REMOVED);
  const now = Date.now();
  if (Math.abs(now - timeOf(marker)) < REMOVE_EVERY_MS) return;
  const names = namesIn(folder);
  if (names.length < MAX_RECORDS) return;
  for (const name of names) {
    const path = join(folder, name);
    if (timeOf(path) < now - KEEP_MS) rmSync(path, { force: true });
  }
  // Last: where no more files can be created, it needs the place of a removed one.
  writeFileSync(marker, '', { mode: 0o600 });
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Any account can create entries in this place, so the folder must be ours. */
function witnessFolder(memory: string): string {
  // Without memory that is shared between processes, nothing is created on the disk instead.
  statSync(memory);
  const folder = witnessPath(memory);
  ensurePrivateFolder(folder);
  assertPrivateFolder(folder, ownUid());
  return folder;
}

function witnessPath(memory: string): string {
  return join(memory, `deed-${ownUid()}`);
}

function chainOf(key: Uint8Array): string {
  return hmacSha256(key, 'witness').slice(0, 32);
}

function nameOf(folder: string, key: Uint8Array): string {
  return `${chainOf(key)}-${sha256(folder).slice(0, 16)}`;
}

function render({ seq, hash }: LastLine): string {
  return `${seq} ${hash}\n`;
}

function read(path: string): string | undefined {
  try {
    return readFileIfPresent(path);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
