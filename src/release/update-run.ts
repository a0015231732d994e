import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { UpdateContext } from './update-context.ts';

/**
 * The stages of an update, in order. Everything before the swap in `replace` changes temporary files only; the swap is the only
 * step that changes the installed version; `skill_sync` comes after it and can be repeated separately.
 */
export type UpdateStage =
  | 'discover'
  | 'download'
  | 'verify_signature'
  | 'verify_checksum'
  | 'replace'
  | 'skill_sync';

/** `pending`: the program was replaced and the Skill was not. */
type SkillSyncStatus = 'not_started' | 'not_needed' | 'pending' | 'failed' | 'synced';

/** The progress of an update, and the state of the installation when it ends. */
export interface UpdateRun {
  /** The version that this update replaced; for a repeated Skill sync, the one that the update before it replaced. */
  previousVersion: string;
  stage: UpdateStage;
  /** The installed version. */
  currentVersion: string;
  targetVersion: string | null;
  installMethod: string | null;
  /** The command that performs the update. */
  command: string | null;
  binaryReplaced: boolean;
  /** A package manager was interrupted and no working version is installed. */
  installDamaged: boolean;
  skillSyncStatus: SkillSyncStatus;
}

const MESSAGES: Readonly<Record<UpdateStage, string>> = {
  discover: 'Looking for the release',
  download: 'Downloading the release',
  verify_signature: 'Verifying the signature',
  verify_checksum: 'Verifying the archive',
  replace: 'Replacing the program',
  skill_sync: 'Syncing the Skill',
};

export function createUpdateRun(runningVersion: string): UpdateRun {
  return {
    previousVersion: runningVersion,
    stage: 'discover',
    currentVersion: runningVersion,
    targetVersion: null,
    installMethod: null,
    command: null,
    binaryReplaced: false,
    installDamaged: false,
    skillSyncStatus: 'not_started',
  };
}

/** Whether the replaced version is known; it is not if an older program recorded the pending Skill sync. */
export function isVersionChange({ previousVersion, currentVersion }: Readonly<UpdateRun>): boolean {
  return previousVersion !== currentVersion;
}

/** The command that shows what changed since the replaced version. */
export function changelogCommand({ previousVersion }: Readonly<UpdateRun>): string {
  return `deed changelog --since ${previousVersion}`;
}

/** Starts the next stage, unless a signal arrived. */
export async function enterStage(
  run: UpdateRun,
  stage: UpdateStage,
  context: Pick<UpdateContext, 'signal' | 'progress'>,
): Promise<void> {
  run.stage = stage;
  context.progress(`${MESSAGES[stage]} (${stage})`);
  await nextTurn();
  assertNotInterrupted(context.signal);
}

export function assertNotInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted();
}

export function interrupted(): Fault {
  return new Fault('E_INTERRUPTED', 'The update was interrupted.');
}
