import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isPlainObject } from '../base/json.ts';

/** The name under which npm knows this program. */
export const PACKAGE_NAME = 'deed-cli';

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

export interface RunningProgram {
  readonly path: string;
  readonly kind: 'node' | 'standalone';
}

/**
 * Finds out how the running program was installed, from where its files really lie. A compiled executable owns itself
 * wherever it lies, inside a `node_modules` too; a script belongs to the package around it.
 */
export function identifyInstall(program: RunningProgram): Install {
  const path = realpathSync(program.path);
  if (program.kind === 'standalone') return { method: 'standalone', executable: path };
  const packageRoot = findPackage(dirname(path));
  if (packageRoot === undefined) return { method: 'source', root: dirname(path) };
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

function findPackage(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (readManifest(folder)?.name === PACKAGE_NAME) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function readManifest(folder: string): Record<string, unknown> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isPlainObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
