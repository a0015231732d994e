import { existsSync, lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { removeAbandonedSiblings, temporarySibling } from '../../system/temporary-sibling.ts';
import type { FileChange } from './plan-setup.ts';

/** The extension of temporary files and folders of setup, and of the Skill. */
const TEMPORARY = 'new';

/** Removes what a killed setup left next to paths. */
export function removeLeftovers(paths: readonly string[]): void {
  for (const path of paths) removeAbandonedSiblings(path, [TEMPORARY]);
}

/** Removes what a killed swap left next to Skill folders that were undone: the new folder, and the old one, which is no longer needed. */
export function removeAbandonedSkills(folders: readonly string[]): void {
  for (const folder of folders) removeAbandonedSiblings(folder, [TEMPORARY, 'old']);
}

/** Writes or deletes the file of a change; keeps its mode. */
export function applyFileChange({ path, before, after }: FileChange): void {
  if (before === after) return;
  try {
    if (after === undefined) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const mode = before === undefined ? 0o600 : lstatSync(path).mode & 0o777;
    writeFileDurably(path, after, { mode, temporary: temporarySibling(path, TEMPORARY) });
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  }
}

/** The folders that have to be created for paths, parents first. */
export function missingFolders(paths: readonly string[]): readonly string[] {
  const missing = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.add(folder);
  return [...missing].toSorted((one, two) => one.length - two.length);
}

/** Removes folders that setup created, unless something is in them now. Returns those that are still there. */
export function removeCreatedFolders(folders: readonly string[]): readonly string[] {
  const kept = folders.toReversed().filter((folder) => {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false;
      return true;
    }
    return false;
  });
  return kept.toReversed();
}
