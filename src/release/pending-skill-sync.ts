import { rmSync } from 'node:fs';
import { readFileIfPresent, writeFileDurably } from '../system/durable-file.ts';
import type { UpdateContext } from './update-context.ts';

/**
 * Remembers across processes that a version was put in place and its Skill was not synced yet. Written before the swap and
 * removed after the sync, so that an update that fails, is interrupted or is killed in between is finished by the next.
 */
const FILE = 'skill-sync-pending';

export function markSkillSyncPending(home: UpdateContext['home'], version: string): void {
  home.folder();
  writeFileDurably(home.at(FILE), `${version}\n`);
}

/** Never fails: a mark that stays makes the next update sync the Skill once more, which does no harm. */
export function clearSkillSyncPending(home: UpdateContext['home']): void {
  try {
    rmSync(home.at(FILE), { force: true });
  } catch {
    // See above.
  }
}

/** Tells whether the Skill of this version still waits to be synced. */
export function isSkillSyncPending(home: UpdateContext['home'], version: string): boolean {
  return readFileIfPresent(home.at(FILE))?.trim() === version;
}
