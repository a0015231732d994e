import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/** Sums the disk usage of a folder. Entries that disappear or cannot be read count as zero. */
export function measureFolder(path: string): number {
  let bytes = 0;
  const pending = [path];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of entriesOf(folder)) {
      const full = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(full);
      else bytes += bytesOf(full);
    }
  }
  return bytes;
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
