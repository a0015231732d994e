import {
  closeSync,
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
import { openFile } from './open-file.ts';
import { uniqueName } from './unique-name.ts';

export interface DurableWriteOptions {
  readonly mode?: number;
  /** Whether the content must survive a power loss; false for caches. */
  readonly sync?: boolean;
  /** The path of the temporary file, in the same folder; by default a name that no other process has. */
  readonly temporary?: string;
}

/**
 * Replaces a file atomically: a reader sees the old content or the new, also after a crash at any moment. The folder must exist.
 */
export function writeFileDurably(
  path: string,
  content: string | Uint8Array,
  options: DurableWriteOptions = {},
): void {
  const temporary = options.temporary ?? `${path}.${uniqueName()}.tmp`;
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

/** A path below a file is absent too. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** Reads a small state file as text; undefined when it does not exist. */
export function readFileIfPresent(path: string, maxBytes?: number): string | undefined {
  return readBytesIfPresent(path, maxBytes)?.toString('utf8');
}

/** Like `readFileIfPresent`, but returns bytes: decoding replaces invalid UTF-8, so text is not exact. */
export function readBytesIfPresent(
  path: string,
  maxBytes: number = LIMITS.stateFileBytes,
): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openFile(path);
    const { size } = fstatSync(file);
    if (size > maxBytes) {
      throw new Fault('E_IO', `${path} has ${size} bytes; the limit is ${maxBytes}.`, {
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

/** Creates a file that must not exist yet; on an error, such as a full disk, it is removed again. */
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

/** Removes a temporary file. Never throws, so that the caller can report the original error. */
export function discardFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // A remaining temporary file does no harm.
  }
}

/** Writes all content, with as many system calls as needed; returns the number of bytes. */
export function writeWhole(file: number, content: string | Uint8Array): number {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
  return written;
}

/** Flushes a folder, so that added and removed names survive a power loss. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
