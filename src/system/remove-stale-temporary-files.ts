import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { discardFile } from './durable-file.ts';

/** No write takes a day, on any machine that shares the folder. */
const STALE_MS = 86_400_000;

/** Removes the temporary files that killed processes left in a folder. Never throws: they do no harm. */
export function removeStaleTemporaryFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && Date.now() - stats.mtimeMs > STALE_MS) discardFile(path);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
