import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import { LIMITS } from '../base/limits.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { uniqueName } from './unique-name.ts';

export interface DurableWriteOptions {
  readonly mode?: number;
  /** Whether the content must survive a power cut; caches say no. */
  readonly sync?: boolean;
}

/**
 * Replaces a file so that a reader, or a crash at any moment, sees the old content or the new, never a mixture.
 * The folder must exist.
 */
export function writeFileDurably(
  path: string,
  content: string | Uint8Array,
  options: DurableWriteOptions = {},
): void {
  const temporary = `${path}.${uniqueName()}.tmp`;
  const sync = options.sync ?? true;
  try {
    writeNewFile(temporary, content, options.mode ?? 0o600, sync);
    renameSync(temporary, path);
    if (sync) syncFolder(dirname(path));
  } catch (error) {
    discardFile(temporary);
    throw faultFromSystem(error, 'write', path);
  }
}

/** Below a file there is nothing either. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** Reads a small state file as text; nothing when it does not exist. */
export function readFileIfPresent(path: string, maxBytes?: number): string | undefined {
  return readBytesIfPresent(path, maxBytes)?.toString('utf8');
}

/** The same, byte for byte: text hides which of many wrong bytes stood where it shows a replacement character. */
export function readBytesIfPresent(
  path: string,
  maxBytes: number = LIMITS.stateFileBytes,
): Buffer | undefined {
  let file: number | undefined;
  try {
    // Not to wait for the other end of a pipe that somebody put here.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Fault('E_IO', `${path} is not a file.`, { details: { path } });
    if (stats.size > maxBytes) {
      throw new Fault('E_IO', `${path} is ${stats.size} bytes, more than the ${maxBytes} that are read.`, {
        details: { path },
      });
    }
    return readFileSync(file);
  } catch (error) {
    if (ABSENT.has(systemCode(error) ?? '')) return undefined;
    throw faultFromSystem(error, 'read', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Creates a file that must not exist yet, with its content and mode in place; a full disk leaves nothing behind. */
export function writeNewFile(path: string, content: string | Uint8Array, mode: number, sync: boolean): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeWhole(file, content);
    if (sync) fsyncSync(file);
  } catch (error) {
    discardFile(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Removes a temporary file. Never fails: what went wrong before it is what the caller must hear of. */
export function discardFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is in nobody's way.
  }
}

/** Writes a whole text or all bytes, however many calls the system needs for it; returns the number of bytes. */
export function writeWhole(file: number, content: string | Uint8Array): number {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
  return written;
}

/** Makes names that were added to or removed from a folder survive a power cut. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
