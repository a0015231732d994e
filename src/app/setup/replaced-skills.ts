import { cpSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../../system/digest.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import type { Home } from '../../contract/home.ts';
import { removeAbandonedSiblings, temporarySibling } from '../../system/temporary-sibling.ts';

/** Keeps a copy of a Skill folder or link before setup replaces it; the copy is complete or does not exist. */
export function keepReplaced(home: Home, path: string): void {
  home.folder();
  copyInto(path, keptPath(home, path));
}

/** Puts a Skill folder or link back as it was. Contract: a call that was killed can be repeated. */
export function restoreReplaced(home: Home, path: string): void {
  const kept = keptPath(home, path);
  if (lstatSync(kept, { throwIfNoEntry: false }) !== undefined) copyInto(kept, path);
}

/** Deletes the copies of paths. */
export function forgetReplaced(home: Home, paths: readonly string[]): void {
  for (const path of paths) {
    rmSync(keptPath(home, path), { recursive: true, force: true });
    removeAbandonedSiblings(keptPath(home, path), ['new']);
  }
}

function keptPath(home: Home, path: string): string {
  return home.at(`setup-replaced-${sha256(path).slice(0, 16)}`);
}

function copyInto(from: string, to: string): void {
  const fresh = temporarySibling(to, 'new');
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
    cpSync(from, fresh, { recursive: true, verbatimSymlinks: true });
    rmSync(to, { recursive: true, force: true });
    renameSync(fresh, to);
  } catch (error) {
    throw faultFromSystem(error, 'copy the Skill to', to);
  }
}
