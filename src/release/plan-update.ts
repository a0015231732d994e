import { Fault } from '../base/fault.ts';
import { quoteForShell } from '../base/quote-for-shell.ts';
import { excerpt } from '../base/text.ts';
import { discoverRelease, locateRelease, type FoundRelease } from './discover-release.ts';
import { identifyInstall, PACKAGE_NAME, type Install } from './install-method.ts';
import { managerCommand, type ManagedInstall } from './managed-install.ts';
import { npmInstallCommand } from './npm-manager.ts';
import { enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateRequest, UpdateContext } from './update-context.ts';
import { compareVersions, parseVersion, renderVersion } from './version.ts';

/** The release that was found, and whether installing it is an update. */
export interface UpdatePlan {
  readonly install: Install;
  readonly release: FoundRelease;
  readonly needed: boolean;
  /** The requested version is the running one, so no request was made. */
  readonly isCurrent: boolean;
  /** The command that performs the update. */
  readonly command: string;
}

/** Determines what an update would do; read-only. */
export async function planUpdate(
  request: UpdateRequest,
  run: UpdateRun,
  context: UpdateContext,
): Promise<UpdatePlan> {
  const install = identifyInstall(context.executable);
  run.installMethod = install.method;
  await enterStage(run, 'discover', context);
  const target = readTarget(request.targetVersion);
  const isCurrent = target === run.currentVersion;
  const release = isCurrent
    ? locateRelease(run.currentVersion, context)
    : await discoverRelease(install, target, context);
  const needed = isUpdate(request, run.currentVersion, release.version);
  const command = commandFor(install, release.version, request);
  run.targetVersion = needed ? release.version : run.currentVersion;
  run.command = command;
  return { install, release, needed, isCurrent, command };
}

/** Without an explicit target only a newer version is an update, so that a server cannot cause a downgrade. */
export function isUpdate(request: UpdateRequest, installed: string, found: string): boolean {
  const from = parseVersion(installed);
  const to = parseVersion(found);
  if (from === undefined || to === undefined) throw new Error(`cannot compare ${installed} and ${found}`);
  const order = compareVersions(to, from);
  return request.targetVersion === undefined ? order > 0 : order !== 0;
}

function readTarget(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const version = parseVersion(text);
  if (version !== undefined) return renderVersion(version);
  throw new Fault('E_VALIDATION', `--target-version: "${excerpt(text)}" is not a version.`, {
    hint: 'Pass a semantic version such as 0.1.0.',
    details: { field: 'target_version', problem: 'is not a semantic version' },
  });
}

/** The install methods that `update` can update. */
export type UpdatableInstall = Exclude<Install, { readonly method: 'source' | 'npx' }>;

/** Fails for an install method that `update` cannot update, with the command to run instead. */
export function requireUpdatable(
  { install, command }: UpdatePlan,
  { targetVersion }: UpdateRequest,
  context: UpdateContext,
): UpdatableInstall {
  if (context.platform === 'win32') {
    throw new Fault('E_CONFIG', 'deed update is not supported on Windows: deed runs on Linux and macOS.', {
      hint: `Install deed in a Linux environment such as WSL: npm install --global ${PACKAGE_NAME}.`,
    });
  }
  if (install.method === 'homebrew' && targetVersion !== undefined) {
    throw new Fault('E_CONFIG', 'Homebrew installs only the newest version of its tap.', {
      hint: `Run deed update without --target-version, or: ${command}.`,
    });
  }
  if (isUpdatable(install)) return install;
  if (install.method === 'source') {
    throw new Fault(
      'E_CONFIG',
      `This deed runs from the checkout ${install.root}, which deed update does not change.`,
      {
        hint: `In ${install.root}, run: ${command}.`,
      },
    );
  }
  throw new Fault('E_CONFIG', 'This deed was started by npx, which keeps no install to update.', {
    hint: `Run: ${command}.`,
  });
}

export function isUpdatable(install: Install): install is UpdatableInstall {
  return install.method !== 'source' && install.method !== 'npx';
}

/** Whether a package manager other than npm owns the program. */
export function isManaged(install: Install): install is ManagedInstall {
  return 'packageRoot' in install && MANAGERS.has(install.method);
}

const MANAGERS: ReadonlySet<string> = new Set(['homebrew', 'pnpm', 'yarn', 'bun']);

const MANUAL_COMMANDS = {
  source: () => 'git pull && npm ci',
  npx: (spec: string) => `npx ${spec}`,
};

function commandFor(install: Install, version: string, request: UpdateRequest): string {
  if (!isUpdatable(install)) return MANUAL_COMMANDS[install.method](`${PACKAGE_NAME}@${version}`);
  if (isManaged(install))
    return managerCommand(install, `${PACKAGE_NAME}@${version}`).map(quoteForShell).join(' ');
  if (install.method !== 'standalone')
    return npmInstallCommand(install, version).map(quoteForShell).join(' ');
  return request.targetVersion === undefined ? 'deed update' : `deed update --target-version ${version}`;
}
