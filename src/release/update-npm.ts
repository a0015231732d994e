import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { readPackageVersion } from './install-method.ts';
import { installWithNpm, rehearseNpmInstall, type NpmInstall } from './npm-manager.ts';
import { probeVersion } from './probe-version.ts';
import { clearSkillSyncPending, markSkillSyncPending } from './pending-skill-sync.ts';
import { readSkillFiles } from './skill-files.ts';
import { syncSkill } from './sync-skill.ts';
import { EXECUTABLE_NAME, SKILL_PREFIX } from './unpack-release.ts';
import type { AppliedUpdate } from './update-executable.ts';
import { assertNotInterrupted, enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateContext } from './update-context.ts';

const REHEARSAL_FOLDER = 'update-npm';

/**
 * Has npm bring its package to a version, then syncs the Skill that came with it. Integrity on this path is npm's.
 *
 * npm moves the old package away before it has the new one, and when it is killed while it waits for the registry the package
 * is gone. So it installs twice: first where nobody looks, which may be stopped at any time, then for good out of its cache.
 */
export async function updateNpm(
  install: NpmInstall,
  version: string,
  run: UpdateRun,
  context: UpdateContext,
): Promise<AppliedUpdate> {
  if (run.currentVersion !== version) {
    await enterStage(run, 'download', context);
    await rehearse(install, version, context);
    await enterStage(run, 'replace', context);
    markSkillSyncPending(context.home, version);
    await replacePackage(install, version, run, context);
  }
  await enterStage(run, 'skill_sync', context);
  const skillFolders = await syncSkill(readSkillFiles(join(install.packageRoot, SKILL_PREFIX)), context);
  clearSkillSyncPending(context.home);
  run.skillSyncStatus = 'synced';
  return { skillFolders, verification: undefined };
}

async function rehearse(install: NpmInstall, version: string, context: UpdateContext): Promise<void> {
  const folder = context.home.at(REHEARSAL_FOLDER);
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  // A killed update may have left one.
  discard();
  try {
    await rehearseNpmInstall(install, version, context.home.folder(REHEARSAL_FOLDER), context);
    await assertStarts(join(folder, 'bin', EXECUTABLE_NAME), version, context);
  } finally {
    discard();
  }
}

/** npm calls an install a success although the package with the executable, an optional one, could not be had. */
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
    // npm may have finished, failed or been stopped at any point: the package on disk says what is true.
    noteInstalled(install, run);
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

/** Reads what npm left. A package that is gone or damaged outweighs whatever npm said. */
function noteInstalled(install: NpmInstall, run: UpdateRun): void {
  const found = readPackageVersion(install.packageRoot);
  if (found === undefined) {
    run.installDamaged = true;
    throw new Fault(
      'E_IO',
      `npm was stopped half-way and left no working package at ${install.packageRoot}.`,
      {
        hint: `Repair it with: ${run.command ?? 'npm install'}.`,
        details: { path: install.packageRoot },
      },
    );
  }
  if (found === run.currentVersion) return;
  run.currentVersion = found;
  run.binaryReplaced = true;
  run.skillSyncStatus = 'pending';
}
