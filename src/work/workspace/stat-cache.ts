import { type Stats } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { writeFileDurably, readBytesIfPresent } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readManifest } from './manifest-store.ts';
import type { Manifest } from './manifest.ts';
import type { WorkspaceContext } from './workspace.ts';

/** The number of cached stat fields per entry, which show without reading it that the entry is unchanged. */
export const STAT_FIELDS = 6;

/** The result of the last walk through a tree. It only saves time and can be deleted. */
export interface StatCache {
  readonly manifest: Manifest;
  readonly stateHash: string;
  /** `STAT_FIELDS` numbers per entry of the manifest; NaN if the entry was too recent to be trusted. */
  readonly stats: Float64Array;
  readonly indexHash: string;
  readonly othersHash: string;
  /** Whether the two hashes cover all paths: there are no untracked folders or nested repositories. */
  readonly flat: boolean;
  /** Paths listed by git that do not exist or are special files. */
  readonly absent: readonly string[];
}

/** Writes the stat fields of one entry. */
export function fillStats(stats: Float64Array, index: number, found: Stats): void {
  const at = index * STAT_FIELDS;
  stats[at] = found.ino;
  stats[at + 1] = found.size;
  stats[at + 2] = found.mtimeMs;
  stats[at + 3] = found.ctimeMs;
  stats[at + 4] = found.mode;
  stats[at + 5] = found.dev;
}

export function sameStats(
  left: Float64Array,
  leftIndex: number,
  right: Float64Array,
  rightIndex: number,
): boolean {
  const a = leftIndex * STAT_FIELDS;
  const b = rightIndex * STAT_FIELDS;
  return (
    left[a + 3] === right[b + 3] &&
    left[a + 1] === right[b + 1] &&
    left[a] === right[b] &&
    left[a + 2] === right[b + 2] &&
    left[a + 4] === right[b + 4] &&
    left[a + 5] === right[b + 5]
  );
}

export function readStatCache(context: WorkspaceContext, treeId: string): StatCache | undefined {
  try {
    const bytes = readBytesIfPresent(statCachePath(context, treeId), Infinity);
    if (bytes === undefined) return undefined;
    const end = bytes.indexOf(10);
    const header: unknown = JSON.parse(bytes.toString('utf8', 0, end));
    if (!isHeader(header)) return undefined;
    const manifest = readManifest(context, header.stateHash);
    const stats = new Float64Array(manifest.paths.length * STAT_FIELDS);
    if (bytes.length - end - 1 !== stats.byteLength) return undefined;
    new Uint8Array(stats.buffer).set(bytes.subarray(end + 1));
    return { ...header, manifest, stats };
  } catch {
    // Missing or incomplete: everything is read again.
    return undefined;
  }
}

/** Returns the state hash of the last walk. */
export function readStatCacheState(context: WorkspaceContext, treeId: string): string | undefined {
  return readStatCache(context, treeId)?.stateHash;
}

export function writeStatCache(context: WorkspaceContext, treeId: string, cache: StatCache): void {
  const { manifest: _, stats, ...header } = cache;
  ensurePrivateFolder(join(context.folder, 'trees', treeId));
  const bytes = Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    new Uint8Array(stats.buffer, stats.byteOffset, stats.byteLength),
  ]);
  writeFileDurably(statCachePath(context, treeId), bytes, { sync: false });
}

export function statCachePath(context: WorkspaceContext, treeId: string): string {
  return join(context.folder, 'trees', treeId, 'stats');
}

type Header = Omit<StatCache, 'manifest' | 'stats'>;

function isHeader(value: unknown): value is Header {
  return isPlainObject(value) && typeof value.stateHash === 'string' && Array.isArray(value.absent);
}
