import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/** Sums the disk usage of a folder. Entries that disappear or cannot be read count as zero, and so do those after `maxEntries`. */
export function measureFolder(path: string, maxEntries = Number.POSITIVE_INFINITY): number {
  let bytes = 0;
  let entries = 0;
  const pending = [path];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of entriesOf(folder)) {
      entries += 1;
      if (entries > maxEntries) return bytes;
      const full = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(full);
      else bytes += bytesOf(full);
    }
  }
  return bytes;
}

/** Sums the disk usage of files and folders; missing ones count as zero. */
export function measurePaths(paths: readonly string[], maxEntries?: number): number {
  return paths.reduce((sum, path) => sum + bytesOf(path) + measureFolder(path, maxEntries), 0);
}

function entriesOf(path: string): readonly { name: string; isDirectory: () => boolean }[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function bytesOf(path: string): number {
  try {
    return (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES;
  } catch {
    return 0;
  }
}
