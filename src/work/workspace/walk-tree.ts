import { blake3Hex } from '../../system/blake3.ts';
import { createYielder } from '../../system/yielder.ts';
import {
  expandFolders,
  expandVisible,
  hashIndex,
  startListing,
  type Visible,
  type VisibleText,
} from './list-visible.ts';
import { storeManifest } from './manifest-store.ts';
import { sortPaths, type Manifest } from './manifest.ts';
import { createStat, readEntries, type Walk } from './read-entries.ts';
import type { Tree } from './tree.ts';
import { fillStats, readStatCache, STAT_FIELDS, writeStatCache, type StatCache } from './stat-cache.ts';
import type { Skipped, SnapshotOptions, WorkspaceContext } from './workspace.ts';

/** The state of a tree's git-visible files at one moment. */
export interface TreeState {
  readonly manifest: Manifest;
  readonly stateHash: string;
  readonly indexHash: string;
  readonly skipped: readonly Skipped[];
  /** Whether every entry belongs to this account and its group; an overlay of an ordinary account cannot copy others. */
  readonly ownIds: boolean;
}

/**
 * Reads the state of a tree. While git lists the paths, the cached entries are statted again; only new or changed entries are read.
 * Nothing in the tree is modified, not even the index or timestamps. `onProgress` is called from time to time and may throw.
 */
export async function walkTree(
  context: WorkspaceContext,
  tree: Tree,
  onProgress: SnapshotOptions['onProgress'] = () => undefined,
): Promise<TreeState> {
  const listing = startListing(context, tree.root);
  // Avoids an unhandled rejection if something else fails first.
  listing.catch(() => undefined);
  const cache = readStatCache(context, tree.id);
  const progress = { files: 0, total: 0 };
  const walk: Walk = {
    context,
    root: tree.root,
    stat: createStat(tree.root),
    skipped: [],
    becameFolders: new Set(),
    yielder: createYielder(() => onProgress(progress)),
    progress,
    ownIds: true,
  };
  const current = cache === undefined ? undefined : statAll(walk, cache.manifest.paths);
  const text = await listing;
  const indexHash = hashIndex(text);
  const othersHash = blake3Hex(text.others);
  const flat =
    cache !== undefined && cache.flat && cache.indexHash === indexHash && cache.othersHash === othersHash;
  const { candidates, nestedOrFolders } = flat
    ? { candidates: withAbsent(cache), nestedOrFolders: false }
    : await listCandidates(context, tree.root, text);
  let next = await readEntries(walk, candidates, cache, current);
  if (walk.becameFolders.size > 0) {
    const inside = await expandFolders(context, tree.root, [...walk.becameFolders]);
    next = await readEntries(walk, mergePaths(candidates, inside), cache, current);
  }
  const stateHash =
    cache !== undefined && !next.changed ? cache.stateHash : storeManifest(context, next.manifest);
  if (next.refreshed || cache?.indexHash !== indexHash || cache.othersHash !== othersHash) {
    writeStatCache(context, tree.id, {
      manifest: next.manifest,
      stateHash,
      stats: next.stats,
      indexHash,
      othersHash,
      flat: !nestedOrFolders && walk.becameFolders.size === 0,
      absent: next.absent,
    });
  }
  return { manifest: next.manifest, stateHash, indexHash, skipped: walk.skipped, ownIds: walk.ownIds };
}

/** The stats of paths, as the cache has them. */
export function statAll(walk: Walk, paths: readonly string[]): Float64Array {
  const stats = new Float64Array(paths.length * STAT_FIELDS);
  const { uid, gid } = walk.context;
  for (let index = 0; index < paths.length; index += 1) {
    const found = walk.stat(paths[index] ?? '');
    if (found === undefined) {
      stats[index * STAT_FIELDS] = Number.NaN;
      continue;
    }
    if (found.uid !== uid || found.gid !== gid) walk.ownIds = false;
    fillStats(stats, index, found);
  }
  return stats;
}

function withAbsent(cache: StatCache): readonly string[] {
  if (cache.absent.length === 0) return cache.manifest.paths;
  return sortPaths([...cache.manifest.paths, ...cache.absent]);
}

async function listCandidates(
  context: WorkspaceContext,
  root: string,
  text: VisibleText,
): Promise<{ candidates: readonly string[]; nestedOrFolders: boolean }> {
  const visible = await expandVisible(context, root, text);
  return {
    candidates: mergePaths([], visible),
    nestedOrFolders:
      visible.nested.length > 0 || visible.emptyFolders.length > 0 || text.others.includes('/\0'),
  };
}

/** Sorts all paths into one list without duplicates; during a merge the index has a path several times. */
function mergePaths(paths: readonly string[], { files, emptyFolders }: Visible): readonly string[] {
  const sorted = sortPaths(paths.concat(files, emptyFolders));
  return sorted.filter((path, index) => path !== sorted[index - 1]);
}
