import { Fault } from '../base/fault.ts';
import { fetchContextOf, type FoundRelease } from './discover-release.ts';
import { downloadRelease } from './download-release.ts';
import { clearSkillSyncPending, markSkillSyncPending } from './pending-skill-sync.ts';
import { probeVersion } from './probe-version.ts';
import { prepareExecutable } from './prepare-executable.ts';
import { syncSkill } from './sync-skill.ts';
import { assertNotInterrupted, enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateContext } from './update-context.ts';
import { verifyRelease, type ReleaseVerification } from './verify-release.ts';

export interface AppliedUpdate {
  readonly skillFolders: readonly string[];
  /** Undefined when a package manager verified the download. */
  readonly verification: ReleaseVerification | undefined;
}

/** Updates a standalone executable and its Skill to a release; an executable of that version is not replaced. */
export async function updateExecutable(
  executable: string,
  release: FoundRelease,
  run: UpdateRun,
  context: UpdateContext,
): Promise<AppliedUpdate> {
  await enterStage(run, 'download', context);
  const downloaded = await downloadRelease(release.urls, fetchContextOf(context));
  const { unpacked, verification } = await verifyRelease(release, downloaded, run, context);
  if (run.currentVersion !== release.version) {
    await enterStage(run, 'replace', context);
    await replaceExecutable(executable, unpacked.executable, release.version, run, context);
  }
  await enterStage(run, 'skill_sync', context);
  const skillFolders = await syncSkill(unpacked.skill, context);
  clearSkillSyncPending(context.home);
  run.skillSyncStatus = 'synced';
  return { skillFolders, verification };
}

async function replaceExecutable(
  executable: string,
  content: Buffer,
  version: string,
  run: UpdateRun,
  context: UpdateContext,
): Promise<void> {
  const prepared = prepareExecutable(executable, content);
  try {
    await assertStarts(prepared.path, version, context);
    assertNotInterrupted(context.signal);
    markSkillSyncPending(context.home, version, run.currentVersion);
    prepared.swap();
    run.binaryReplaced = true;
    run.currentVersion = version;
    run.skillSyncStatus = 'pending';
  } finally {
    prepared.discard();
  }
}

/** A verified program may still not run on this machine, for example because a system library or CPU feature is missing. */
async function assertStarts(path: string, version: string, context: UpdateContext): Promise<void> {
  const found = await probeVersion(path, context);
  assertNotInterrupted(context.signal);
  if (found === version) return;
  throw new Fault(
    'E_CONFIG',
    `The program of ${version} does not start on this machine, so it was not installed.`,
    {
      hint: `Report it with your platform (${context.platform} ${context.arch}).`,
      details: { expected_version: version, found_version: found ?? null },
    },
  );
}
