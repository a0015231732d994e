import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isPlainObject } from '../base/json.ts';

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
  | { readonly method: 'pnpm' | 'yarn' | 'bun' | 'npx'; readonly packageRoot: string };

/** Folders that identify installs of package managers that `update` does not support. */
const UNSUPPORTED_MANAGERS = [
  { method: 'pnpm', folders: `${sep}.pnpm${sep}` },
  { method: 'bun', folders: `${sep}.bun${sep}install${sep}` },
  { method: 'yarn', folders: `${sep}yarn${sep}global${sep}` },
  { method: 'npx', folders: `${sep}_npx${sep}` },
] as const;

/**
 * Determines how an executable was installed from its real path. It belongs to a package only at the path where that package
 * installs it; any other file, even inside a `node_modules`, is a standalone executable.
 */
export function identifyInstall(executable: string): Install {
  const path = realpathSync(executable);
  const packageRoot = packageOf(path);
  if (packageRoot === undefined) return { method: 'standalone', executable: path };
  const modules = dirname(packageRoot);
  if (basename(modules) !== 'node_modules') return { method: 'source', root: packageRoot };
  const unsupported = UNSUPPORTED_MANAGERS.find(({ folders }) => packageRoot.includes(folders));
  if (unsupported !== undefined) return { method: unsupported.method, packageRoot };
  const host = dirname(modules);
  // npm installs globally into <prefix>/lib/node_modules on Linux and macOS, and <prefix>/lib has no package.json.
  if (basename(host) === 'lib' && !existsSync(join(host, 'package.json'))) {
    return { method: 'npm-global', packageRoot, prefix: dirname(host) };
  }
  return { method: 'npm-local', packageRoot, project: host };
}

/** Reads the version of the package in a folder; undefined when there is no package. */
export function readPackageVersion(packageRoot: string): string | undefined {
  const manifest = readManifest(packageRoot);
  return typeof manifest?.version === 'string' ? manifest.version : undefined;
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
  return readManifest(folder)?.name === PACKAGE_NAME;
}

function readManifest(folder: string): Record<string, unknown> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isPlainObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
