import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isWithin } from '../resolve-tree.ts';
import { IN_HOME } from './hidden-paths.ts';
import { nodeModulesAbove } from './node-modules-above.ts';

/** Paths of a home folder that commands may read by default: git's settings, without its credentials. */
const GIT_SETTINGS = ['.gitconfig', '.config/git/config', '.config/git/ignore', '.config/git/attributes'];

/** Folders with programs; the folder above is the root of a toolchain with its libraries. */
const PROGRAM_FOLDERS: ReadonlySet<string> = new Set(['bin', 'sbin', 'shims', '.bin']);

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

/** Where programs lie although a sandbox replaces the folder: version managers and package runners put theirs there. */
const REPLACED = ['/tmp', '/var/tmp', '/run'];

export interface ToolPathOptions {
  /** The home that a run gets empty; undefined if there is none. */
  readonly home: string | undefined;
  readonly searchPath: string;
  /** Whether a path exposes state of deed. */
  readonly isState?: (path: string) => boolean;
}

/**
 * Lists what is readable in the folders that a sandbox replaces: the folders of PATH with their toolchains, such as those of nvm, cargo,
 * rustup, pyenv and node_modules, and the settings of git. A toolchain root that contains credentials is not exposed, only its programs;
 * nothing is exposed that has state of deed.
 */
export function listToolPaths({
  home,
  searchPath,
  isState = () => false,
}: ToolPathOptions): readonly string[] {
  const roots = [...(home === undefined ? [] : [home]), ...REPLACED];
  const isBelowRoot = (path: string): boolean =>
    roots.some((root) => isWithin(root, path)) && !roots.some((root) => isWithin(path, root));
  const secrets = secretsOf(home);
  const isSafe = (path: string): boolean => isBelowRoot(path) && !isState(path) && !touchesAny(secrets, path);
  const found = new Set<string>();
  // Many programs of a folder are in one package folder; the checks read the disk.
  const addIfSafe = (path: string): void => {
    if (!isWithinAny(found, path) && isSafe(path)) found.add(path);
  };
  for (const folder of searchPath.split(':')) {
    if (!isAbsolute(folder) || !isBelowRoot(folder)) continue;
    if (!isState(folder)) found.add(folder);
    for (const path of [...toolchainOf(home, folder), ...linkedPackages(folder)]) addIfSafe(path);
  }
  if (home !== undefined) for (const name of GIT_SETTINGS) found.add(join(home, name));
  const existing = [...found].filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  return existing.filter((path) => !existing.some((other) => other !== path && isWithin(other, path)));
}

function isWithinAny(folders: ReadonlySet<string>, path: string): boolean {
  return [...folders].some((folder) => isWithin(folder, path));
}

/** Whether a path contains one of the folders, or is in one of them. */
function touchesAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isWithin(path, folder) || isWithin(folder, path));
}

/** Whether a path contains credentials or the state of an agent. */
export function containsSecrets(home: string, path: string): boolean {
  return secretsOf(home).some((secret) => isWithin(path, secret));
}

function secretsOf(home: string | undefined): readonly string[] {
  return home === undefined ? [] : [...IN_HOME, ...OF_AGENTS].map((name) => join(home, name));
}

function toolchainOf(home: string | undefined, folder: string): readonly string[] {
  if (!PROGRAM_FOLDERS.has(basename(folder))) return [];
  const parent = dirname(folder);
  if (home === undefined || !isWithin(home, parent)) return [parent];
  const parts = PARTS.get(parent === home ? '' : parent.slice(home.length + 1));
  return parts === undefined ? [parent] : parts.map((name) => join(home, name));
}

/** Programs in `~/bin` or `~/.local/bin` are often links to a package elsewhere. */
function linkedPackages(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .flatMap(({ name }) => packageOf(join(folder, name)));
  } catch {
    return [];
  }
}

function packageOf(link: string): readonly string[] {
  try {
    const target = realpathSync(link);
    const folder = dirname(target);
    const root = PROGRAM_FOLDERS.has(basename(folder)) ? dirname(folder) : folder;
    return [root, target, ...nodeModulesAbove(target)];
  } catch {
    // A broken link.
    return [];
  }
}
