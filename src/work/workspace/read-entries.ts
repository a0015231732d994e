import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { blake3Hex } from '../../base/blake3.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import { hashFile } from './hash-file.ts';
import { parentOf, renderHead, type Manifest } from './manifest.ts';
import { fillStats, sameStats, STAT_FIELDS, type StatCache } from './stat-cache.ts';
import type { Skipped, WorkspaceContext } from './workspace.ts';

/** What one walk through a tree gathers on its way. */
export interface Walk {
  readonly context: WorkspaceContext;
  readonly root: string;
  readonly skipped: Skipped[];
  /** Paths of the index that are folders now; git does not name what is in them unless it is asked for it. */
  readonly becameFolders: Set<string>;
  /** Looks at a path of the tree; nothing where a folder above it is a link or gone. */
  readonly look: (path: string) => Stats | undefined;
  ownIds: boolean;
}

/** A change within one tick of the clock that the kernel stamps files with does not show in their times. */
const FRESH_MS = 100;

export interface Entries {
  readonly manifest: Manifest;
  readonly stats: Float64Array;
  readonly absent: readonly string[];
  /** Whether an entry differs from the last look. */
  readonly changed: boolean;
  /** Whether at least the numbers differ. */
  readonly refreshed: boolean;
}

/** Describes every candidate that is there, and reads only those that differ from the last look. */
export function readEntries(
  walk: Walk,
  candidates: readonly string[],
  cache: StatCache | undefined,
  looked: Float64Array | undefined,
): Entries {
  if (cache !== undefined && looked !== undefined && candidates === cache.manifest.paths) {
    const unchanged = cache.manifest.paths.every((_, index) => sameStats(cache.stats, index, looked, index));
    if (unchanged) {
      const { manifest, stats, absent } = cache;
      return { manifest, stats, absent, changed: false, refreshed: false };
    }
  }
  const paths: string[] = [];
  const heads: string[] = [];
  const absent: string[] = [];
  const stats = new Float64Array(candidates.length * STAT_FIELDS);
  const known = cache?.manifest.paths ?? [];
  let changed = false;
  let refreshed = cache === undefined;
  let at = 0;
  for (const path of candidates) {
    // Both lists are sorted alike, so the old place is found by going along.
    while (at < known.length && known[at] !== path && isBefore(known[at] ?? '', path)) at += 1;
    const index = paths.length;
    if (
      cache !== undefined &&
      looked !== undefined &&
      known[at] === path &&
      sameStats(cache.stats, at, looked, at)
    ) {
      paths.push(path);
      heads.push(cache.manifest.heads[at] ?? '');
      stats.set(looked.subarray(at * STAT_FIELDS, (at + 1) * STAT_FIELDS), index * STAT_FIELDS);
      continue;
    }
    const head = readEntry(walk, path, stats, index);
    if (known[at] === path) refreshed = true;
    if (head === undefined) {
      absent.push(path);
      continue;
    }
    if (known[at] !== path || cache?.manifest.heads[at] !== head) changed = refreshed = true;
    paths.push(path);
    heads.push(head);
  }
  return {
    manifest: { paths, heads },
    stats: stats.slice(0, paths.length * STAT_FIELDS),
    absent,
    changed: changed || paths.length !== known.length,
    refreshed: refreshed || paths.length !== known.length,
  };
}

/**
 * Makes a look at paths of a tree that never goes through a link: the kernel would follow one in a folder's place, and what is
 * behind it is not in the tree. Each folder is looked at once.
 */
export function createLook(root: string): Walk['look'] {
  const folders = new Map<string, boolean>([['', true]]);
  const isFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const real = isFolder(parentOf(folder)) && lookAt(`${root}/${folder}`)?.isDirectory() === true;
    folders.set(folder, real);
    return real;
  };
  let last = '';
  let lastIsFolder = true;
  return (path) => {
    const slash = path.lastIndexOf('/');
    // Paths come sorted, so most have the folder of the one before.
    if (slash !== last.length || !path.startsWith(last)) {
      last = slash === -1 ? '' : path.slice(0, slash);
      lastIsFolder = isFolder(last);
    }
    return lastIsFolder ? lookAt(`${root}/${path}`) : undefined;
  };
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR' || systemCode(error) === 'ELOOP') return undefined;
    throw faultFromSystem(error, 'look at', path);
  }
}

/** Only a hint for where to look: where it errs, an entry is read again. */
function isBefore(left: string, right: string): boolean {
  return left < right;
}

function readEntry(walk: Walk, path: string, stats: Float64Array, index: number): string | undefined {
  const full = `${walk.root}/${path}`;
  if (path.includes('\uFFFD')) {
    walk.skipped.push({ path, reason: 'its name is not UTF-8' });
    return undefined;
  }
  for (let attempt = 0; ; attempt += 1) {
    const found = walk.look(path);
    if (found === undefined) return undefined;
    if (found.uid !== walk.context.uid || found.gid !== walk.context.gid) walk.ownIds = false;
    const head = describeEntry(walk, path, full, found);
    if (head === undefined) return undefined;
    const after = walk.look(path);
    fillStats(stats, index, found);
    if (after !== undefined && after.ctimeMs === found.ctimeMs && after.size === found.size) {
      // Too fresh to be told apart from a change that comes now.
      if (walk.context.clock.now() - found.ctimeMs < FRESH_MS) stats[index * STAT_FIELDS] = Number.NaN;
      return head;
    }
    if (attempt === 2) {
      stats[index * STAT_FIELDS] = Number.NaN;
      return head;
    }
  }
}

function describeEntry(walk: Walk, path: string, full: string, found: Stats): string | undefined {
  try {
    if (found.isFile())
      return renderHead({ type: 'file', mode: found.mode & 0o777, size: found.size, hash: hashFile(full) });
    if (found.isSymbolicLink()) {
      const link = readlinkSync(full);
      return renderHead({
        type: 'symlink',
        mode: 0o777,
        size: Buffer.byteLength(link),
        hash: blake3Hex(link),
      });
    }
    if (found.isDirectory()) {
      // What is in a folder has names of its own; only an empty one counts itself.
      const bare = readdirSync(full).every((name) => name === '.git');
      if (!bare) walk.becameFolders.add(path);
      return bare ? renderHead({ type: 'dir', mode: found.mode & 0o777, size: 0, hash: '' }) : undefined;
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw faultFromSystem(error, 'read', full);
  }
  walk.skipped.push({ path, reason: 'it is neither a file, a link nor a folder' });
  return undefined;
}
