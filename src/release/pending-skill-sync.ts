import { rmSync } from 'node:fs';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import type { UpdateContext } from './update-context.ts';

/**
 * Records across processes that a version was installed and its Skill was not synced yet. Written before the swap and removed
 * after the sync, so that the next update finishes one that failed, was interrupted or was killed in between.
 */
const FILE = 'skill-sync-pending';

export function markSkillSyncPending(home: UpdateContext['home'], version: string): void {
  home.folder();
  writeFileDurably(home.at(FILE), `${version}\n`);
}

/** Never throws: a file that remains only makes the next update sync the Skill again. */
export function clearSkillSyncPending(home: UpdateContext['home']): void {
  try {
    rmSync(home.at(FILE), { force: true });
  } catch {
    // See above.
  }
}

/** Whether the Skill of this version is not synced yet. */
export function isSkillSyncPending(home: UpdateContext['home'], version: string): boolean {
  return readFileIfPresent(home.at(FILE))?.trim() === version;
}
