import { Fault } from '../base/fault.ts';
import { PACKAGE_NAME, type Install } from './install-method.ts';
import { runNpm } from './run-npm.ts';
import type { UpdateContext } from './update-context.ts';
import { parseVersion, renderVersion } from './version.ts';

export type NpmInstall = Extract<Install, { readonly method: 'npm-global' | 'npm-local' }>;

const VIEW_TIMEOUT_MS = 60_000;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
/** npm rolls back on a signal; this is shorter than the grace period of a command. */
const ROLLBACK_MS = 2200;
const NO_ROLLBACK_MS = 200;

/** The npm command that installs a version. The prefix is explicit, because the default prefix of npm may be a different one. */
export function npmInstallCommand(install: NpmInstall, version: string): readonly string[] {
  const spec = `${PACKAGE_NAME}@${version}`;
  return install.method === 'npm-global'
    ? ['npm', 'install', '--global', '--prefix', install.prefix, spec]
    : ['npm', 'install', '--prefix', install.project, spec];
}

/** Looks up the newest version, or an exact one, in the registry. */
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
      graceMs: NO_ROLLBACK_MS,
      fallback: 'E_UNKNOWN',
    },
    context,
  );
  // npm 12 prints a list of one version.
  const found: unknown = Array.isArray(answer) ? answer[0] : answer;
  const version = typeof found === 'string' ? parseVersion(found) : undefined;
  if (version !== undefined) return renderVersion(version);
  throw new Fault('E_NOT_FOUND', `The npm registry has no ${spec}.`, {
    hint: 'Check the version and the registry.',
    details: { package: PACKAGE_NAME, version: target ?? 'latest' },
  });
}

/** Installs a version into a scratch folder, which fills the npm cache and checks that the version is installable. */
export async function installIntoScratch(
  install: NpmInstall,
  version: string,
  folder: string,
  context: UpdateContext,
): Promise<void> {
  const scratch: NpmInstall = { method: 'npm-global', prefix: folder, packageRoot: folder };
  await runNpm(
    [...npmInstallCommand(scratch, version), '--ignore-scripts', '--fetch-retries=1'],
    {
      doing: `download ${version}`,
      cwd: workFolder(install),
      timeoutMs: INSTALL_TIMEOUT_MS,
      graceMs: NO_ROLLBACK_MS,
      fallback: 'E_UNKNOWN',
    },
    context,
  );
}

/** Installs a version with npm, from its cache if possible. */
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
