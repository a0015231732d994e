import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import { childEnvironment } from '../system/child-environment.ts';
import { runCommand } from '../system/run-command.ts';
import { PACKAGE_NAME } from './install-method.ts';
import {
  managedSkillFolder,
  managerCommand,
  managerVariables,
  readManagedVersion,
  type ManagedInstall,
} from './managed-install.ts';
import { clearSkillSyncPending, markSkillSyncPending } from './pending-skill-sync.ts';
import { recordInstalledVersion } from './record-installed-version.ts';
import { networkVariables } from './run-npm.ts';
import { readSkillFiles } from './skill-files.ts';
import { syncSkill } from './sync-skill.ts';
import type { UpdateContext } from './update-context.ts';
import type { AppliedUpdate } from './update-executable.ts';
import { enterStage, type UpdateRun } from './update-run.ts';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/**
 * Installs a version with the package manager that owns the program, then syncs the Skill of the installed version. The files of the
 * manager are never written here, and the integrity check is the manager's.
 */
export async function updateManaged(
  install: ManagedInstall,
  version: string,
  run: UpdateRun,
  context: UpdateContext,
): Promise<AppliedUpdate> {
  if (run.currentVersion !== version) {
    await enterStage(run, 'replace', context);
    markSkillSyncPending(context.home, version, run.currentVersion);
    try {
      await runManager(install, version, context);
    } finally {
      // The manager may have finished, failed or been stopped at any point, so the state is read from disk.
      recordInstalledVersion(readManagedVersion(install), install, run);
    }
    if (run.currentVersion !== version) throw notInstalled(install, version, run);
  }
  await enterStage(run, 'skill_sync', context);
  const skillFolders = await syncSkill(readSkillFiles(managedSkillFolder(install)), context);
  clearSkillSyncPending(context.home);
  run.skillSyncStatus = 'synced';
  return { skillFolders, verification: undefined };
}

async function runManager(install: ManagedInstall, version: string, context: UpdateContext): Promise<void> {
  const variables = {
    ...networkVariables(context.env),
    ...managerVariables(install, context.env.PATH ?? ''),
  };
  const { exitCode, stdout, stderr } = await runCommand(
    managerCommand(install, `${PACKAGE_NAME}@${version}`),
    {
      // Managers read settings of their working directory, so this is never the caller's folder, which may be untrusted.
      cwd: install.project ?? dirname(install.packageRoot),
      env: childEnvironment(context.env, variables),
      timeoutMs: INSTALL_TIMEOUT_MS,
      signal: context.signal,
      keepOutput: 'tail',
      maxOutputBytes: 2000,
    },
  );
  if (exitCode === 0) return;
  throw new Fault('E_IO', `${install.method} could not install ${version} (exit code ${exitCode}).`, {
    hint: 'Run the command in details.command by hand to see its full output.',
    details: { exit_code: exitCode, output: `${stdout}${stderr}`.slice(-2000), _untrusted: ['output'] },
  });
}

function notInstalled({ method, packageRoot }: ManagedInstall, version: string, run: UpdateRun): Fault {
  return new Fault('E_IO', `${method} reported success, but ${packageRoot} is not ${version}.`, {
    hint:
      method === 'homebrew'
        ? `The formula of your tap may still be for ${run.currentVersion}: update the tap.`
        : 'Run the command in details.command by hand to see what it does.',
    details: { path: packageRoot, found_version: run.currentVersion },
  });
}
