import { rmSync } from 'node:fs';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import { parseVersion } from './version.ts';
import type { UpdateContext } from './update-context.ts';

/**
 * Records across processes that a version was installed and its Skill was not synced yet. Written before the swap and removed
 * after the sync, so that the next update finishes one that failed, was interrupted or was killed in between.
 */
const FILE = 'skill-sync-pending';
/** The version that was replaced; a separate file, because 0.1.0 compares the whole content of the other one. */
const REPLACED_FILE = 'skill-sync-replaced';

export function markSkillSyncPending(home: UpdateContext['home'], version: string, replaced: string): void {
  home.folder();
  writeFileDurably(home.at(REPLACED_FILE), `${replaced}\n`);
  writeFileDurably(home.at(FILE), `${version}\n`);
}

/** Never throws: a file that remains only makes the next update sync the Skill again. */
export function clearSkillSyncPending(home: UpdateContext['home']): void {
  try {
    for (const file of [FILE, REPLACED_FILE]) rmSync(home.at(file), { force: true });
  } catch {
    // See above.
  }
}

/** The version that the unfinished update replaced; undefined when an older program recorded it. */
export function readReplacedVersion(home: UpdateContext['home']): string | undefined {
  const text = readFileIfPresent(home.at(REPLACED_FILE))?.trim();
  return text !== undefined && parseVersion(text) !== undefined ? text : undefined;
}

/** Whether the Skill of this version is not synced yet. */
export function isSkillSyncPending(home: UpdateContext['home'], version: string): boolean {
  return readFileIfPresent(home.at(FILE))?.trim() === version;
}
