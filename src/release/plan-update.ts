import { Fault } from '../base/fault.ts';
import { quoteForShell } from '../base/quote-for-shell.ts';
import { excerpt } from '../base/text.ts';
import { discoverRelease, nameRelease, type FoundRelease } from './discover-release.ts';
import { identifyInstall, PACKAGE_NAME, type Install } from './install-method.ts';
import { npmInstallCommand } from './npm-manager.ts';
import { enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateRequest, UpdateContext } from './update-context.ts';
import { compareVersions, parseVersion, renderVersion } from './version.ts';

/** A release that was found for an install, and whether going to it is an update. */
export interface UpdatePlan {
  readonly install: Install;
  readonly release: FoundRelease;
  readonly needed: boolean;
  /** The version that was asked for is the one that runs, so nobody had to be asked about it. */
  readonly isCurrent: boolean;
  /** What a person would run to get there. */
  readonly command: string;
}

/** Finds out what an update would do; changes nothing. */
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
    ? nameRelease(run.currentVersion, context)
    : await discoverRelease(install, target, context);
  const needed = isUpdate(request, run.currentVersion, release.version);
  const command = commandFor(install, release.version, request);
  run.targetVersion = needed ? release.version : run.currentVersion;
  run.command = command;
  return { install, release, needed, isCurrent, command };
}

/** Without a version that was asked for, only a newer one is an update: no server can lead anybody back. */
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
    hint: 'Give a semantic version such as 0.1.0.',
    details: { field: 'target_version', problem: 'is not a semantic version' },
  });
}

/** The install methods that `update` carries out itself. */
export type DrivenInstall = Extract<Install, { readonly method: 'standalone' | 'npm-global' | 'npm-local' }>;

/** Refuses an install that somebody else must update, and says how. */
export function requireDriven({ install, command }: UpdatePlan, context: UpdateContext): DrivenInstall {
  if (context.platform === 'win32') {
    throw new Fault(
      'E_CONFIG',
      'Updating itself is not applicable on Windows: deed runs on Linux and macOS.',
      {
        hint: `Run deed in a Linux environment, and install it there with: npm install --global ${PACKAGE_NAME}.`,
      },
    );
  }
  if (isDriven(install)) return install;
  if (install.method === 'source') {
    throw new Fault(
      'E_CONFIG',
      `This deed runs from the checkout ${install.root}, which an update does not touch.`,
      {
        hint: `In ${install.root}, run: ${command}.`,
      },
    );
  }
  throw new Fault(
    'E_CONFIG',
    `This deed was installed with ${install.method}, which an update does not drive.`,
    {
      hint: `Run: ${command}.`,
    },
  );
}

export function isDriven(install: Install): install is DrivenInstall {
  return install.method === 'standalone' || install.method === 'npm-global' || install.method === 'npm-local';
}

const OTHER_COMMANDS = {
  source: () => 'git pull && npm ci',
  pnpm: (spec: string) => `pnpm add --global ${spec}`,
  yarn: (spec: string) => `yarn global add ${spec}`,
  bun: (spec: string) => `bun add --global ${spec}`,
  npx: (spec: string) => `npx ${spec}`,
};

function commandFor(install: Install, version: string, request: UpdateRequest): string {
  if (!isDriven(install)) return OTHER_COMMANDS[install.method](`${PACKAGE_NAME}@${version}`);
  if (install.method !== 'standalone')
    return npmInstallCommand(install, version).map(quoteForShell).join(' ');
  return request.targetVersion === undefined ? 'deed update' : `deed update --target-version ${version}`;
}
