import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { UpdateContext } from './update-context.ts';

/**
 * The stages of an update, in order. Everything before the swap inside `replace` touches temporary files only; the swap is the
 * one moment in which the installed version changes; `skill_sync` comes after it and can be done again by itself.
 */
export type UpdateStage =
  | 'discover'
  | 'download'
  | 'verify_signature'
  | 'verify_checksum'
  | 'replace'
  | 'skill_sync';

/** `pending`: the program is new and the Skill is not. */
type SkillSyncStatus = 'not_started' | 'not_needed' | 'pending' | 'failed' | 'synced';

/** Where an update stands. Whatever ends it, this says what is true of the machine. */
export interface UpdateRun {
  readonly previousVersion: string;
  stage: UpdateStage;
  /** The version that the next start runs. */
  currentVersion: string;
  targetVersion: string | null;
  installMethod: string | null;
  /** What a person would run to do the same. */
  command: string | null;
  binaryReplaced: boolean;
  /** A package manager was killed half-way and nothing that works is installed. */
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

export function beginRun(runningVersion: string): UpdateRun {
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

/** Goes on to the next stage, unless the caller has had enough. A signal that came meanwhile is seen first. */
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
