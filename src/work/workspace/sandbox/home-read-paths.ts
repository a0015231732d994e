import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isWithin } from '../resolve-tree.ts';

/** Paths of a home folder that commands may read by default: git's settings, without its credentials. */
const GIT_SETTINGS = ['.gitconfig', '.config/git/config', '.config/git/ignore', '.config/git/attributes'];

/** Folders with programs; the folder above is the root of a toolchain with its libraries. */
const PROGRAM_FOLDERS: ReadonlySet<string> = new Set(['bin', 'sbin', 'shims']);

/** Folders above a program folder that contain more than a toolchain, with the parts that belong to it. */
const PARTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '': [],
    '.local': [],
    '.cargo': ['.cargo/env', '.cargo/registry', '.cargo/git', '.rustup'],
    go: ['go/pkg'],
  }),
);

/** Folders with sign-ins and histories of agents, which no toolchain root may expose. */
const OF_AGENTS = ['.ai-agent', '.claude', '.codex', '.gemini', '.copilot', '.cursor', '.config/opencode'];

/**
 * Lists what is readable in the otherwise empty home of a run: the folders of PATH below the home with their toolchains, such as those
 * of nvm, cargo, rustup and pyenv, and the settings of git. A toolchain root that contains credentials is not exposed, only its programs;
 * nothing is exposed that has state of deed.
 */
export function listHomeReadPaths(
  home: string,
  searchPath: string,
  secrets: readonly string[],
  isState: (path: string) => boolean = () => false,
): readonly string[] {
  const sensitive = [...secrets, ...OF_AGENTS].map((name) => join(home, name));
  const isSafe = (path: string): boolean =>
    path !== home &&
    !isState(path) &&
    isWithin(home, path) &&
    !sensitive.some((secret) => isWithin(path, secret) || isWithin(secret, path));
  const found = new Set<string>();
  for (const folder of searchPath.split(':')) {
    if (!isAbsolute(folder) || folder === home || !isWithin(home, folder)) continue;
    if (!isState(folder)) found.add(folder);
    for (const path of [...toolchainOf(home, folder), ...linkTargets(home, folder)])
      if (isSafe(path)) found.add(path);
  }
  for (const name of GIT_SETTINGS) found.add(join(home, name));
  const existing = [...found].filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  return existing.filter((path) => !existing.some((other) => other !== path && isWithin(other, path)));
}

function toolchainOf(home: string, folder: string): readonly string[] {
  if (!PROGRAM_FOLDERS.has(basename(folder))) return [];
  const parent = dirname(folder);
  const parts = PARTS.get(parent === home ? '' : parent.slice(home.length + 1));
  return parts === undefined ? [parent] : parts.map((name) => join(home, name));
}

/** Programs in `~/bin` or `~/.local/bin` are often links to a package elsewhere in the home. */
function linkTargets(home: string, folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .flatMap(({ name }) => packageOf(home, join(folder, name)));
  } catch {
    return [];
  }
}

function packageOf(home: string, link: string): readonly string[] {
  try {
    const target = realpathSync(link);
    if (!isWithin(home, target)) return [];
    const folder = dirname(target);
    return [PROGRAM_FOLDERS.has(basename(folder)) ? dirname(folder) : folder, target];
  } catch {
    // A broken link.
    return [];
  }
}
