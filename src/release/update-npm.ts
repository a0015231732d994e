import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { readPackageVersion } from './install-method.ts';
import { installWithNpm, type NpmInstall } from './npm-manager.ts';
import { clearSkillSyncPending, markSkillSyncPending } from './pending-skill-sync.ts';
import { readSkillFiles } from './skill-files.ts';
import { syncSkill } from './sync-skill.ts';
import { SKILL_PREFIX } from './unpack-release.ts';
import type { AppliedUpdate } from './update-standalone.ts';
import { enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateWorld } from './update-world.ts';

/** Has npm bring its package to a version, then syncs the Skill that came with it. Integrity on this path is npm's. */
export async function updateNpm(
  install: NpmInstall,
  version: string,
  run: UpdateRun,
  world: UpdateWorld,
): Promise<AppliedUpdate> {
  if (run.currentVersion !== version) {
    await enterStage(run, 'replace', world);
    markSkillSyncPending(world.home, version);
    try {
      await installWithNpm(install, version, world);
    } finally {
      // npm may have finished, failed or been stopped at any point: the package on disk says what is true.
      noteInstalled(install, run);
    }
    if (run.currentVersion !== version) {
      throw new Fault(
        'E_IO',
        `npm reported success, but the package at ${install.packageRoot} is not ${version}.`,
        {
          hint: 'Run the command in details.command by hand to see what npm does.',
          details: { path: install.packageRoot, found_version: run.currentVersion },
        },
      );
    }
  }
  await enterStage(run, 'skill_sync', world);
  const skillFolders = await syncSkill(readSkillFiles(join(install.packageRoot, SKILL_PREFIX)), world);
  clearSkillSyncPending(world.home);
  run.skillSyncStatus = 'synced';
  return { skillFolders, verification: undefined };
}

function noteInstalled(install: NpmInstall, run: UpdateRun): void {
  const found = readPackageVersion(install.packageRoot);
  if (found === undefined || found === run.currentVersion) return;
  run.currentVersion = found;
  run.binaryReplaced = true;
  run.skillSyncStatus = 'pending';
}
