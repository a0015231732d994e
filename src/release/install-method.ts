import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { findFormula, findManager, type ManagedInstall } from './managed-install.ts';
import { readPackageManifest } from './read-package.ts';

/** The name of the npm package. */
export const PACKAGE_NAME = 'deed-cli';

/** The scope of the platform packages, which contain the executable. */
const PLATFORM_SCOPE = '@deed-cli';

/** The path of the executable in the main package, after its install script ran, and in a platform package. */
const IN_PACKAGE = join('dist', 'bin', 'deed');
const IN_PLATFORM_PACKAGE = join('bin', 'deed');

/** How this program was installed, which determines how it is updated. */
export type Install =
  | { readonly method: 'standalone'; readonly executable: string }
  | { readonly method: 'npm-global'; readonly packageRoot: string; readonly prefix: string }
  | { readonly method: 'npm-local'; readonly packageRoot: string; readonly project: string }
  | { readonly method: 'source'; readonly root: string }
  | { readonly method: 'npx'; readonly packageRoot: string }
  | ManagedInstall;

/**
 * Determines how an executable was installed from its real path. It belongs to a package only at the path where that package
 * installs it, or in the folder of a Homebrew formula; any other file, even inside a `node_modules`, is a standalone executable.
 */
export function identifyInstall(executable: string): Install {
  const path = realpathSync(executable);
  const packageRoot = packageOf(path);
  if (packageRoot === undefined) return findFormula(path) ?? { method: 'standalone', executable: path };
  const modules = dirname(packageRoot);
  if (basename(modules) !== 'node_modules') return { method: 'source', root: packageRoot };
  const managed = findManager(packageRoot, PACKAGE_NAME);
  if (managed !== undefined) return managed;
  if (packageRoot.includes(`${sep}_npx${sep}`)) return { method: 'npx', packageRoot };
  const host = dirname(modules);
  // npm installs globally into <prefix>/lib/node_modules on Linux and macOS, and <prefix>/lib has no package.json.
  if (basename(host) === 'lib' && !existsSync(join(host, 'package.json'))) {
    return { method: 'npm-global', packageRoot, prefix: dirname(host) };
  }
  return { method: 'npm-local', packageRoot, project: host };
}

/** Finds the folder of `deed-cli` that an executable belongs to, directly or through a platform package. */
function packageOf(executable: string): string | undefined {
  const own = removeSuffix(executable, IN_PACKAGE);
  if (own !== undefined && isPackage(own)) return own;
  const platform = removeSuffix(executable, IN_PLATFORM_PACKAGE);
  if (platform === undefined || basename(dirname(platform)) !== PLATFORM_SCOPE) return undefined;
  // npm installs a dependency next to its dependent or into its node_modules; other managers use other layouts.
  const modules = dirname(dirname(platform));
  const sibling = join(modules, PACKAGE_NAME);
  return (
    [dirname(modules), sibling].find(isPackage) ??
    (basename(modules) === 'node_modules' ? sibling : undefined)
  );
}

/** Removes the last segments of a path; undefined when the path does not end with them. */
function removeSuffix(path: string, suffix: string): string | undefined {
  return path.endsWith(`${sep}${suffix}`) ? path.slice(0, -suffix.length - 1) : undefined;
}

function isPackage(folder: string): boolean {
  return readPackageManifest(folder)?.name === PACKAGE_NAME;
}
