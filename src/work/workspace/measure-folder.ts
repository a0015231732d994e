import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/** Adds up what a folder takes on disk. What goes away meanwhile, or cannot be seen, counts nothing. */
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
