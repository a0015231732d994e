import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../../base/blake3.ts';
import { systemCode } from '../../../base/system-fault.ts';
import type { Footprint } from '../backend.ts';
import { hashFile } from '../hash-file.ts';
import { entriesBelow, findEntry, type Manifest } from '../manifest.ts';
import type { Entry, Skipped } from '../workspace.ts';

export interface UpperPlaces {
  /** The folder that took the run's writes. */
  readonly upper: string;
  /** The user's tree. */
  readonly lower: string;
  /** Tells whether a folder of the upper hides all that is below it in the tree. */
  readonly isOpaque: (path: string) => boolean;
}

/**
 * Reads what a run wrote from the overlay's upper folder: whiteouts are deletions, an opaque folder deletes what it does not hold
 * itself. The user's tree is only asked for names.
 */
export function readUpper(places: UpperPlaces, base: Manifest): Footprint {
  const reading: Reading = {
    ...places,
    base,
    written: new Map(),
    gone: new Set(),
    goneOthers: [],
    skipped: [],
  };
  visitFolder(reading, '', false);
  return reading;
}

interface Reading extends UpperPlaces {
  readonly base: Manifest;
  readonly written: Map<string, Entry>;
  readonly gone: Set<string>;
  readonly goneOthers: string[];
  readonly skipped: Skipped[];
}

/** Visits a folder; tells whether the run would see it empty. */
function visitFolder(reading: Reading, folder: string, hidesLower: boolean): boolean {
  const names = readFolder(join(reading.upper, folder));
  const whiteouts = new Set<string>();
  for (const name of names) {
    if (name === '.git') continue;
    const path = folder === '' ? name : `${folder}/${name}`;
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
  if (path.includes('\uFFFD')) {
    reading.skipped.push({ path, reason: 'its name is not UTF-8' });
    return;
  }
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
    reading.skipped.push({ path, reason: 'it is neither a file, a link nor a folder' });
  }
}

/** Notes that what the base had here, and below here, is gone; what is written in its place is noted afterwards. */
function remove({ base, gone, goneOthers }: Reading, path: string): void {
  const below = entriesBelow(base, path);
  const itself = findEntry(base, path);
  if (itself !== undefined) gone.add(path);
  else if (below.length === 0) goneOthers.push(path);
  for (const [inner] of below) gone.add(inner);
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

function readFolder(path: string): readonly string[] {
  return withAccess(path, 0o700, () => readdirSync(path));
}

/** A run may take its own access to what it made; the mode that it set is put back, since it is part of the result. */
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
