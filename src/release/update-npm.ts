import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { installWithNpm, installIntoScratch, type NpmInstall } from './npm-manager.ts';
import { probeVersion } from './probe-version.ts';
import { readPackageVersion } from './read-package.ts';
import { recordInstalledVersion } from './record-installed-version.ts';
import { clearSkillSyncPending, markSkillSyncPending } from './pending-skill-sync.ts';
import { readSkillFiles } from './skill-files.ts';
import { syncSkill } from './sync-skill.ts';
import { EXECUTABLE_NAME, SKILL_PREFIX } from './unpack-release.ts';
import type { AppliedUpdate } from './update-executable.ts';
import { assertNotInterrupted, enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateContext } from './update-context.ts';

const SCRATCH_FOLDER = 'update-npm';

/**
 * Installs a version with npm, then syncs the Skill of the package. npm checks the integrity of the package.
 *
 * npm moves the old package away before it has downloaded the new one; if it is killed meanwhile, the package is missing. So the
 * version is installed twice: first into a scratch folder, which can be stopped at any time, then in place from the npm cache.
 */
export async function updateNpm(
  install: NpmInstall,
  version: string,
  run: UpdateRun,
  context: UpdateContext,
): Promise<AppliedUpdate> {
  if (run.currentVersion !== version) {
    await enterStage(run, 'download', context);
    await tryInstall(install, version, context);
    await enterStage(run, 'replace', context);
    markSkillSyncPending(context.home, version, run.currentVersion);
    await replacePackage(install, version, run, context);
  }
  await enterStage(run, 'skill_sync', context);
  const skillFolders = await syncSkill(readSkillFiles(join(install.packageRoot, SKILL_PREFIX)), context);
  clearSkillSyncPending(context.home);
  run.skillSyncStatus = 'synced';
  return { skillFolders, verification: undefined };
}

async function tryInstall(install: NpmInstall, version: string, context: UpdateContext): Promise<void> {
  const folder = context.home.at(SCRATCH_FOLDER);
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  // Left over from a killed update.
  discard();
  try {
    await installIntoScratch(install, version, context.home.folder(SCRATCH_FOLDER), context);
    await assertStarts(join(folder, 'bin', EXECUTABLE_NAME), version, context);
  } finally {
    discard();
  }
}

/** npm reports success even if the platform package, which is an optional dependency, could not be installed. */
async function assertStarts(program: string, version: string, context: UpdateContext): Promise<void> {
  const found = await probeVersion(program, context);
  assertNotInterrupted(context.signal);
  if (found === version) return;
  throw new Fault(
    'E_CONFIG',
    `The package ${version} does not start on this machine, so it was not installed.`,
    {
      hint: `Check that the registry has the executable of ${version} for your platform (${context.platform} ${context.arch}).`,
      details: { expected_version: version, found_version: found ?? null },
    },
  );
}

async function replacePackage(
  install: NpmInstall,
  version: string,
  run: UpdateRun,
  context: UpdateContext,
): Promise<void> {
  try {
    await installWithNpm(install, version, context);
  } finally {
    // npm may have finished, failed or been stopped at any point, so the state is read from disk.
    recordInstalledVersion(readPackageVersion(install.packageRoot), install, run);
  }
  if (run.currentVersion === version) return;
  throw new Fault(
    'E_IO',
    `npm reported success, but the package at ${install.packageRoot} is not ${version}.`,
    {
      hint: 'Run the command in details.command by hand to see what npm does.',
      details: { path: install.packageRoot, found_version: run.currentVersion },
    },
  );
}
