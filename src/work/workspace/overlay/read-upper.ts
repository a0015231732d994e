import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../../system/blake3.ts';
import { systemCode } from '../../../base/system-fault.ts';
import type { Footprint } from '../backend.ts';
import { hashFile } from '../hash-file.ts';
import { entriesBelow, findEntry, type Manifest } from '../manifest.ts';
import { isUnsupported, skipUnsupported } from '../unsupported-name.ts';
import type { TreeEntry, Skipped } from '../workspace.ts';

export interface UpperPaths {
  /** The folder with the run's writes. */
  readonly upper: string;
  /** The user's tree. */
  readonly lower: string;
  /** Whether a folder of the upper layer hides everything below it in the tree. */
  readonly isOpaque: (path: string) => boolean;
}

/**
 * Reads the writes of a run from the overlay's upper folder: whiteouts are deletions, and an opaque folder deletes what it does not
 * contain itself. Only names are read from the user's tree.
 */
export function readUpper(paths: UpperPaths, base: Manifest): Footprint {
  const reading: Reading = {
    ...paths,
    base,
    written: new Map(),
    deleted: new Set(),
    deletedOthers: [],
    skipped: [],
  };
  visitFolder(reading, '', false);
  return reading;
}

interface Reading extends UpperPaths {
  readonly base: Manifest;
  readonly written: Map<string, TreeEntry>;
  readonly deleted: Set<string>;
  readonly deletedOthers: string[];
  readonly skipped: Skipped[];
}

/** Visits a folder; returns whether it is empty in the merged view. */
function visitFolder(reading: Reading, folder: string, hidesLower: boolean): boolean {
  const names = readFolder(join(reading.upper, folder));
  const whiteouts = new Set<string>();
  for (const name of names) {
    if (name === '.git') continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    if (isUnsupported(path)) {
      reading.skipped.push(skipUnsupported(path));
      continue;
    }
    const stats = lstatSync(join(reading.upper, path));
    if (isWhiteout(stats)) {
      whiteouts.add(name);
      remove(reading, path);
    } else {
      visitEntry(reading, path, stats, hidesLower);
    }
  }
  const own = names.some((name) => name !== '.git' && !whiteouts.has(name));
  if (own || hidesLower) return !own;
  return namesBelow(join(reading.lower, folder)).every((name) => name === '.git' || whiteouts.has(name));
}

function visitEntry(reading: Reading, path: string, stats: Stats, hidesLower: boolean): void {
  const full = join(reading.upper, path);
  if (stats.isDirectory()) {
    const hides = hidesLower || reading.isOpaque(full) || !isFolder(join(reading.lower, path));
    if (hides) remove(reading, path);
    if (!visitFolder(reading, path, hides)) return;
    reading.written.set(path, { type: 'dir', mode: stats.mode & 0o777, size: 0, hash: '' });
  } else if (stats.isFile()) {
    remove(reading, path);
    const hash = withAccess(full, 0o600, () => hashFile(full));
    reading.written.set(path, { type: 'file', mode: stats.mode & 0o777, size: stats.size, hash });
  } else if (stats.isSymbolicLink()) {
    remove(reading, path);
    const link = readlinkSync(full);
    const size = Buffer.byteLength(link);
    reading.written.set(path, { type: 'symlink', mode: 0o777, size, hash: blake3Hex(link), link });
  } else {
    remove(reading, path);
    reading.skipped.push({ path, reason: 'not a file, symlink or folder' });
  }
}

/** Records a path and everything below it as deleted; written replacements are recorded separately. */
function remove({ base, deleted, deletedOthers }: Reading, path: string): void {
  const below = entriesBelow(base, path);
  const itself = findEntry(base, path);
  if (itself !== undefined) deleted.add(path);
  else if (below.length === 0) deletedOthers.push(path);
  for (const [inner] of below) deleted.add(inner);
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

function readFolder(path: string): readonly string[] {
  return withAccess(path, 0o700, () => readdirSync(path));
}

/** Reads an entry even if the run removed its own access; restores the mode afterwards, because it is part of the result. */
function withAccess<T>(path: string, mode: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
    const before = lstatSync(path).mode & 0o7777;
    chmodSync(path, mode);
    try {
      return read();
    } finally {
      chmodSync(path, before);
    }
  }
}

function namesBelow(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
