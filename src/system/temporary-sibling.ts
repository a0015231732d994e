import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomId } from '../base/ids.ts';
import { identifyProcess } from './process-identity.ts';

/**
 * Returns the path of a hidden temporary file or folder in the same folder, from where a rename is atomic. The name contains the
 * pid of its process, so that the files of killed processes can be identified.
 */
export function temporarySibling(path: string, kind: string): string {
  return join(dirname(path), `.${basename(path)}-${process.pid}-${randomId()}.${kind}`);
}

/** Removes the temporary siblings of a path whose processes have exited. Never throws: remaining files do no harm. */
export function removeAbandonedSiblings(path: string, kinds: readonly string[]): void {
  const folder = dirname(path);
  try {
    for (const name of readdirSync(folder)) {
      if (isAbandoned(name, basename(path), kinds))
        rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // The next call tries again.
  }
}

function isAbandoned(name: string, base: string, kinds: readonly string[]): boolean {
  const prefix = `.${base}-`;
  if (!name.startsWith(prefix)) return false;
  const [, pid, kind] = /^(\d{1,10})-[0-9a-f]{32}\.([a-z-]+)$/u.exec(name.slice(prefix.length)) ?? [];
  return kind !== undefined && kinds.includes(kind) && identifyProcess(Number(pid)) === undefined;
}
