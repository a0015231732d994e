import { readlinkSync } from 'node:fs';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import { readPackageVersion } from './read-package.ts';
import { SKILL_PREFIX } from './unpack-release.ts';

/** The package manager that owns the program, other than npm. */
export type Manager = 'homebrew' | 'pnpm' | 'yarn' | 'bun';

/** An install that a package manager other than npm owns; its command updates it. */
export interface ManagedInstall {
  readonly method: Manager;
  /** The folder of the installed version; this path is the same for every version. */
  readonly packageRoot: string;
  /** The project of a local install; undefined for a global one. */
  readonly project?: string;
}

/** `<prefix>/Cellar/<formula>/<version>/bin/<program>`; `<prefix>/opt/<formula>` is a link to the installed version. */
const IN_CELLAR = /^(?<prefix>.*)\/Cellar\/(?<formula>[^/]+)\/[^/]+\/bin\/[^/]+$/u;

/** Finds the Homebrew formula that an executable belongs to, from its real path. */
export function findFormula(executable: string): ManagedInstall | undefined {
  const { prefix, formula } = IN_CELLAR.exec(executable)?.groups ?? {};
  if (prefix === undefined || formula === undefined) return undefined;
  return { method: 'homebrew', packageRoot: join(prefix, 'opt', formula) };
}

/** Finds the manager of a package from the folders that only this manager creates. */
export function findManager(packageRoot: string, packageName: string): ManagedInstall | undefined {
  const [beforeStore, inStore] = packageRoot.split(`${sep}.pnpm${sep}`);
  if (beforeStore !== undefined && inStore !== undefined) return pnpmInstall(beforeStore, packageName);
  if (dirname(packageRoot).endsWith(join(sep, 'install/global/node_modules')))
    return { method: 'bun', packageRoot };
  if (packageRoot.includes(`${sep}yarn${sep}global${sep}`)) return { method: 'yarn', packageRoot };
  return undefined;
}

/** pnpm keeps a package in a folder with its version, and links it into `node_modules`. */
function pnpmInstall(parent: string, packageName: string): ManagedInstall {
  const host = basename(parent) === 'node_modules' ? dirname(parent) : parent;
  const packageRoot = join(host, 'node_modules', packageName);
  const isGlobal = basename(dirname(host)) === 'global';
  return { method: 'pnpm', packageRoot, ...(!isGlobal && { project: host }) };
}

/** The command of the manager that installs a version. Homebrew installs the newest version of its tap. */
export function managerCommand({ method, packageRoot, project }: ManagedInstall, spec: string): string[] {
  switch (method) {
    case 'homebrew':
      return ['brew', 'upgrade', basename(packageRoot)];
    case 'pnpm':
      return project === undefined
        ? ['pnpm', 'add', '--global', spec]
        : ['pnpm', '--dir', project, 'add', spec];
    case 'yarn':
      return ['yarn', 'global', 'add', spec];
    case 'bun':
      return ['bun', 'add', '--global', spec];
  }
}

/** Variables that make a manager use the folder of this install, also when the shell of the caller has none or others. */
export function managerVariables(
  { method, packageRoot, project }: ManagedInstall,
  path: string,
): Readonly<Record<string, string>> {
  const modules = dirname(packageRoot);
  if (method === 'pnpm' && project === undefined) {
    // <PNPM_HOME>/global/<version of the layout>/node_modules; pnpm requires its folder in PATH.
    const home = join(modules, '../../..');
    return { PNPM_HOME: home, PATH: `${home}${delimiter}${path}` };
  }
  // <BUN_INSTALL>/install/global/node_modules
  if (method === 'bun') return { BUN_INSTALL: join(modules, '../../..') };
  return {};
}

/** The installed version; undefined if nothing is installed. */
export function readManagedVersion({ method, packageRoot }: ManagedInstall): string | undefined {
  if (method !== 'homebrew') return readPackageVersion(packageRoot);
  try {
    // A formula that was changed without a new version has a suffix.
    return basename(readlinkSync(packageRoot)).replace(/_\d+$/u, '');
  } catch {
    return undefined;
  }
}

/** The folder with the Skill of the installed version. */
export function managedSkillFolder({ method, packageRoot }: ManagedInstall): string {
  return method === 'homebrew'
    ? join(packageRoot, 'share/deed', SKILL_PREFIX)
    : join(packageRoot, SKILL_PREFIX);
}
