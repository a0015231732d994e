import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isPlainObject } from '../base/json.ts';

/** The name under which npm knows this program. */
export const PACKAGE_NAME = 'deed-cli';

/** The scope of the packages that carry the executable, one for each platform. */
const PLATFORM_SCOPE = '@deed-cli';

/** Where the executable lies in the package, once an install script has put it there, and in a platform package. */
const IN_PACKAGE = join('dist', 'bin', 'deed');
const IN_PLATFORM_PACKAGE = join('bin', 'deed');

/** How this program came onto the machine; decides who may replace it. */
export type Install =
  | { readonly method: 'standalone'; readonly executable: string }
  | { readonly method: 'npm-global'; readonly packageRoot: string; readonly prefix: string }
  | { readonly method: 'npm-local'; readonly packageRoot: string; readonly project: string }
  | { readonly method: 'source'; readonly root: string }
  | { readonly method: 'pnpm' | 'yarn' | 'bun' | 'npx'; readonly packageRoot: string };

/** Folders by which installs of managers that `update` does not drive are known. */
const FOREIGN_MARKS = [
  { method: 'pnpm', folders: `${sep}.pnpm${sep}` },
  { method: 'bun', folders: `${sep}.bun${sep}install${sep}` },
  { method: 'yarn', folders: `${sep}yarn${sep}global${sep}` },
  { method: 'npx', folders: `${sep}_npx${sep}` },
] as const;

/**
 * Finds out how an executable was installed, from where the file really lies. It belongs to a package only at the place where that
 * package keeps it; anywhere else, inside a `node_modules` too, it is a file that its user put there.
 */
export function identifyInstall(executable: string): Install {
  const path = realpathSync(executable);
  const packageRoot = packageOf(path);
  if (packageRoot === undefined) return { method: 'standalone', executable: path };
  const modules = dirname(packageRoot);
  if (basename(modules) !== 'node_modules') return { method: 'source', root: packageRoot };
  const foreign = FOREIGN_MARKS.find(({ folders }) => packageRoot.includes(folders));
  if (foreign !== undefined) return { method: foreign.method, packageRoot };
  const host = dirname(modules);
  // Where npm installs globally on Linux and macOS: <prefix>/lib/node_modules, without a package.json beside it.
  if (basename(host) === 'lib' && !existsSync(join(host, 'package.json'))) {
    return { method: 'npm-global', packageRoot, prefix: dirname(host) };
  }
  return { method: 'npm-local', packageRoot, project: host };
}

/** Reads the version of the package in a folder as it is now; nothing when there is none. */
export function readPackageVersion(packageRoot: string): string | undefined {
  const manifest = readManifest(packageRoot);
  return typeof manifest?.version === 'string' ? manifest.version : undefined;
}

/** Finds the folder of `deed-cli` that an executable belongs to, directly or through a platform package. */
function packageOf(executable: string): string | undefined {
  const own = without(executable, IN_PACKAGE);
  if (own !== undefined && isPackage(own)) return own;
  const platform = without(executable, IN_PLATFORM_PACKAGE);
  if (platform === undefined || basename(dirname(platform)) !== PLATFORM_SCOPE) return undefined;
  // npm puts a dependency beside the package that needs it or into its node_modules, other managers somewhere else.
  const modules = dirname(dirname(platform));
  const beside = join(modules, PACKAGE_NAME);
  return (
    [dirname(modules), beside].find(isPackage) ?? (basename(modules) === 'node_modules' ? beside : undefined)
  );
}

/** Takes the end off a path; nothing when it has another. */
function without(path: string, end: string): string | undefined {
  return path.endsWith(`${sep}${end}`) ? path.slice(0, -end.length - 1) : undefined;
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
