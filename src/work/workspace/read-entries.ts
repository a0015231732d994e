import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { blake3Hex } from '../../system/blake3.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import type { Yielder } from '../../system/yielder.ts';
import { hashFileYielding } from './hash-file.ts';
import { parentOf, renderHead, type Manifest } from './manifest.ts';
import { fillStats, sameStats, STAT_FIELDS, type StatCache } from './stat-cache.ts';
import { isUnsupported, skipUnsupported } from './unsupported-name.ts';
import type { Skipped, WorkspaceContext } from './workspace.ts';

/** How many of the files of a tree have been compared or read. */
export interface WalkProgress {
  files: number;
  total: number;
}

/** State of one walk through a tree. */
export interface Walk {
  readonly context: WorkspaceContext;
  readonly root: string;
  readonly skipped: Skipped[];
  /** Index paths that are folders now; git lists their content only on request. */
  readonly becameFolders: Set<string>;
  /** Stats a path of the tree; undefined if it does not exist or a parent folder is a symlink. */
  readonly stat: (path: string) => Stats | undefined;
  /** Taken while files are read: the first walk through a large tree reads all of it. */
  readonly yielder: Yielder;
  readonly progress: WalkProgress;
  ownIds: boolean;
}

/** Two changes within one tick of the kernel clock can have the same timestamps. */
const FRESH_MS = 100;

export interface Entries {
  readonly manifest: Manifest;
  readonly stats: Float64Array;
  readonly absent: readonly string[];
  /** Whether an entry differs from the cache. */
  readonly changed: boolean;
  /** Whether an entry or its stats differ from the cache. */
  readonly refreshed: boolean;
}

/** Describes all candidates that exist, and reads only those whose stats differ from the cache. */
export async function readEntries(
  walk: Walk,
  candidates: readonly string[],
  cache: StatCache | undefined,
  current: Float64Array | undefined,
): Promise<Entries> {
  if (cache !== undefined && current !== undefined && candidates === cache.manifest.paths) {
    const unchanged = cache.manifest.paths.every((_, index) => sameStats(cache.stats, index, current, index));
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
  Object.assign(walk.progress, { files: 0, total: candidates.length });
  for (const path of candidates) {
    walk.progress.files += 1;
    // Both lists are sorted, so the cached entry is found by merging.
    while (at < known.length && known[at] !== path && isBefore(known[at] ?? '', path)) at += 1;
    const index = paths.length;
    if (
      cache !== undefined &&
      current !== undefined &&
      known[at] === path &&
      sameStats(cache.stats, at, current, at)
    ) {
      paths.push(path);
      heads.push(cache.manifest.heads[at] ?? '');
      stats.set(current.subarray(at * STAT_FIELDS, (at + 1) * STAT_FIELDS), index * STAT_FIELDS);
      continue;
    }
    const head = await readEntry(walk, path, stats, index);
    if (walk.yielder.isDue()) await walk.yielder.yieldNow();
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
 * Creates a function that stats paths of a tree without following symlinks in parent folders: what is behind them is not in the tree.
 * Each folder is checked once.
 */
export function createStat(root: string): Walk['stat'] {
  const folders = new Map<string, boolean>([['', true]]);
  const isFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const real = isFolder(parentOf(folder)) && statIfPresent(`${root}/${folder}`)?.isDirectory() === true;
    folders.set(folder, real);
    return real;
  };
  let last = '';
  let lastIsFolder = true;
  return (path) => {
    const slash = path.lastIndexOf('/');
    // Paths are sorted, so most have the same folder as the previous one.
    if (slash !== last.length || !path.startsWith(last)) {
      last = slash === -1 ? '' : path.slice(0, slash);
      lastIsFolder = isFolder(last);
    }
    return lastIsFolder ? statIfPresent(`${root}/${path}`) : undefined;
  };
}

function statIfPresent(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR' || systemCode(error) === 'ELOOP') return undefined;
    throw faultFromSystem(error, 'read', path);
  }
}

/** Only an approximation of the sort order; if it is wrong, an entry is read again. */
function isBefore(left: string, right: string): boolean {
  return left < right;
}

async function readEntry(
  walk: Walk,
  path: string,
  stats: Float64Array,
  index: number,
): Promise<string | undefined> {
  const full = `${walk.root}/${path}`;
  if (isUnsupported(path)) {
    walk.skipped.push(skipUnsupported(path));
    return undefined;
  }
  for (let attempt = 0; ; attempt += 1) {
    const found = walk.stat(path);
    if (found === undefined) return undefined;
    if (found.uid !== walk.context.uid || found.gid !== walk.context.gid) walk.ownIds = false;
    const head = await describeEntry(walk, path, full, found);
    if (head === undefined) return undefined;
    const after = walk.stat(path);
    fillStats(stats, index, found);
    if (after !== undefined && after.ctimeMs === found.ctimeMs && after.size === found.size) {
      // A later change could have the same timestamp, so do not trust these stats.
      if (walk.context.clock.now() - found.ctimeMs < FRESH_MS) stats[index * STAT_FIELDS] = Number.NaN;
      return head;
    }
    if (attempt === 2) {
      stats[index * STAT_FIELDS] = Number.NaN;
      return head;
    }
  }
}

async function describeEntry(
  walk: Walk,
  path: string,
  full: string,
  found: Stats,
): Promise<string | undefined> {
  try {
    if (found.isFile()) {
      const hash = await hashFileYielding(full, walk.yielder);
      return renderHead({ type: 'file', mode: found.mode & 0o777, size: found.size, hash });
    }
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
      // Only an empty folder has an entry; otherwise its content does.
      const bare = readdirSync(full).every((name) => name === '.git');
      if (!bare) walk.becameFolders.add(path);
      return bare ? renderHead({ type: 'dir', mode: found.mode & 0o777, size: 0, hash: '' }) : undefined;
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw faultFromSystem(error, 'read', full);
  }
  walk.skipped.push({ path, reason: 'not a file, symlink or folder' });
  return undefined;
}
