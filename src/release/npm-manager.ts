import { Fault } from '../base/fault.ts';
import { PACKAGE_NAME, type Install } from './install-method.ts';
import { runNpm } from './run-npm.ts';
import type { UpdateContext } from './update-context.ts';
import { parseVersion, renderVersion } from './version.ts';

export type NpmInstall = Extract<Install, { readonly method: 'npm-global' | 'npm-local' }>;

const VIEW_TIMEOUT_MS = 60_000;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
/** npm puts back what it moved when it is asked to end; this is less than a command has to unwind. */
const ROLLBACK_MS = 2200;
const NOTHING_TO_PUT_BACK_MS = 200;

/** The command that installs a version, as npm is given it. The prefix is named, or npm might serve another than ours. */
export function npmInstallCommand(install: NpmInstall, version: string): readonly string[] {
  const spec = `${PACKAGE_NAME}@${version}`;
  return install.method === 'npm-global'
    ? ['npm', 'install', '--global', '--prefix', install.prefix, spec]
    : ['npm', 'install', '--prefix', install.project, spec];
}

/** Asks the registry for the newest version, or whether an exact one is there. */
export async function viewNpmVersion(
  install: NpmInstall,
  target: string | undefined,
  context: UpdateContext,
): Promise<string> {
  const spec = `${PACKAGE_NAME}@${target ?? 'latest'}`;
  const answer = await runNpm(
    ['npm', 'view', spec, 'version', '--fetch-retries=0'],
    {
      doing: `look up ${spec}`,
      cwd: workFolder(install),
      timeoutMs: VIEW_TIMEOUT_MS,
      graceMs: NOTHING_TO_PUT_BACK_MS,
      fallback: 'E_UNKNOWN',
    },
    context,
  );
  const version = typeof answer === 'string' ? parseVersion(answer) : undefined;
  if (version !== undefined) return renderVersion(version);
  throw new Fault('E_NOT_FOUND', `npm knows no ${spec}.`, {
    hint: 'Check the version and the registry.',
    details: { package: PACKAGE_NAME, version: target ?? 'latest' },
  });
}

/** Has npm install a version into a folder that nobody uses: this fills its cache and shows that the version can be had. */
export async function rehearseNpmInstall(
  install: NpmInstall,
  version: string,
  folder: string,
  context: UpdateContext,
): Promise<void> {
  const rehearsal: NpmInstall = { method: 'npm-global', prefix: folder, packageRoot: folder };
  await runNpm(
    [...npmInstallCommand(rehearsal, version), '--ignore-scripts', '--fetch-retries=1'],
    {
      doing: `download ${version}`,
      cwd: workFolder(install),
      timeoutMs: INSTALL_TIMEOUT_MS,
      graceMs: NOTHING_TO_PUT_BACK_MS,
      fallback: 'E_UNKNOWN',
    },
    context,
  );
}

/** Has npm install a version for good, out of its cache where it can. */
export async function installWithNpm(
  install: NpmInstall,
  version: string,
  context: UpdateContext,
): Promise<void> {
  await runNpm(
    [...npmInstallCommand(install, version), '--prefer-offline', '--fetch-retries=1'],
    {
      doing: `install ${version}`,
      cwd: workFolder(install),
      timeoutMs: INSTALL_TIMEOUT_MS,
      graceMs: ROLLBACK_MS,
      fallback: 'E_IO',
    },
    context,
  );
}

function workFolder(install: NpmInstall): string {
  return install.method === 'npm-global' ? install.prefix : install.project;
}
