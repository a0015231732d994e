import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomId } from '../base/ids.ts';
import { identifyProcess } from './process-identity.ts';

/**
 * Names a hidden file or folder beside another one, where a rename can put it in place. The name tells which process made it,
 * so that what a killed process left behind can be told from what another is using.
 */
export function temporarySibling(path: string, kind: string): string {
  return join(dirname(path), `.${basename(path)}-${process.pid}-${randomId()}.${kind}`);
}

/** Removes the temporary siblings of a path whose makers are gone. Never fails: what stays is in nobody's way. */
export function removeAbandonedSiblings(path: string, kinds: readonly string[]): void {
  const folder = dirname(path);
  try {
    for (const name of readdirSync(folder)) {
      if (isAbandoned(name, basename(path), kinds))
        rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // The next one tries again.
  }
}

function isAbandoned(name: string, base: string, kinds: readonly string[]): boolean {
  const prefix = `.${base}-`;
  if (!name.startsWith(prefix)) return false;
  const [, pid, kind] = /^(\d{1,10})-[0-9a-f]{32}\.([a-z]+)$/u.exec(name.slice(prefix.length)) ?? [];
  return kind !== undefined && kinds.includes(kind) && identifyProcess(Number(pid)) === undefined;
}
