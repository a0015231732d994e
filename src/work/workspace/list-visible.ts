import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../system/blake3.ts';
import { chunksOf } from '../../base/chunks-of.ts';
import { uniqueName } from '../../system/unique-name.ts';
import { Fault } from '../../base/fault.ts';
import { runGit } from './git.ts';
import { isWithin } from './resolve-tree.ts';
import { isUnsupported } from './unsupported-name.ts';
import type { WorkspaceContext } from './workspace.ts';

/** The output of git for one repository, unparsed because it is usually unchanged. */
export interface VisibleText {
  /** All index entries, with mode and object id. */
  readonly index: Buffer;
  /** Untracked paths that are not ignored; folders end with a slash. */
  readonly others: Buffer;
}

/**
 * Starts git to list the visible paths. Its output goes to files, so that git does not block while the caller is busy.
 */
export function startListing(context: WorkspaceContext, root: string): Promise<VisibleText> {
  return Promise.all([
    readThroughFile(context, root, ['ls-files', '-s', '-z']),
    readThroughFile(context, root, ['ls-files', '-o', '-z', '--exclude-standard', '--directory']),
  ]).then(([index, others]) => ({ index, others }));
}

/** All paths below a root that git does not ignore, including nested repositories and submodules. */
export interface Visible {
  /** Tracked and untracked paths; a tracked one may be deleted or replaced by a folder. */
  readonly files: readonly string[];
  readonly emptyFolders: readonly string[];
  /** Roots of repositories inside this one. */
  readonly nested: readonly string[];
}

/** Parses the paths from git's output and lists untracked folders and nested repositories. */
export async function expandVisible(
  context: WorkspaceContext,
  root: string,
  text: VisibleText,
): Promise<Visible> {
  const files: string[] = [];
  const emptyFolders: string[] = [];
  const nested: string[] = [];
  for (const line of splitZero(text.index)) {
    const path = line.slice(line.indexOf('\t') + 1);
    if (!line.startsWith('160000')) files.push(path);
    else if (existsSync(join(root, path, '.git'))) nested.push(path);
    else if (isEmptyFolder(join(root, path))) emptyFolders.push(path);
  }
  const folders: string[] = [];
  for (const path of splitZero(text.others)) {
    if (!path.endsWith('/')) files.push(path);
    else if (existsSync(join(root, path, '.git'))) nested.push(path.slice(0, -1));
    // Nothing can be listed below a name that was decoded with loss; it is reported as one entry.
    else (isUnsupported(path) ? files : folders).push(path.slice(0, -1));
  }
  const inside = await expandFolders(context, root, folders, nested);
  append(files, inside.files);
  append(emptyFolders, inside.emptyFolders);
  return { files, emptyFolders, nested: inside.nested };
}

/** Lists the visible paths in untracked folders and in repositories: those found in the folders and the given ones. */
export async function expandFolders(
  context: WorkspaceContext,
  root: string,
  folders: readonly string[],
  repositories: readonly string[] = [],
): Promise<Visible> {
  const { files, nested } = await listFolders(context, root, folders);
  const emptyFolders = [...(await listEmptyFolders(context, root, folders))];
  append(nested, repositories);
  for (const path of nested.slice()) {
    const inner = join(root, path);
    const found = await expandVisible(context, inner, await startListing(context, inner));
    const below = (name: string): string => `${path}/${name}`;
    append(files, found.files.map(below));
    append(emptyFolders, found.emptyFolders.map(below));
    append(nested, found.nested.map(below));
    if (readdirSync(inner).every((name) => name === '.git')) emptyFolders.push(path);
  }
  return { files, emptyFolders, nested };
}

async function listFolders(
  context: WorkspaceContext,
  root: string,
  folders: readonly string[],
): Promise<{ files: string[]; nested: string[] }> {
  const files: string[] = [];
  const nested: string[] = [];
  for (const some of chunksOf(folders, 500)) {
    const args = ['--literal-pathspecs', 'ls-files', '-o', '-z', '--exclude-standard', '--', ...some];
    for (const path of splitZero(await readThroughFile(context, root, args))) {
      if (path.endsWith('/')) nested.push(path.slice(0, -1));
      else files.push(path);
    }
  }
  return { files, nested };
}

/** Git does not track empty folders; they are searched in untracked folders and must not be ignored. */
async function listEmptyFolders(
  context: WorkspaceContext,
  root: string,
  folders: readonly string[],
): Promise<readonly string[]> {
  const empty = folders.flatMap((folder) => findEmptyFolders(root, folder));
  if (empty.length === 0) return [];
  const ignored = new Set(await filterIgnored(context, root, empty));
  return empty.filter((path) => !ignored.has(path));
}

/** Returns the paths that git ignores. `options` are passed to git, to apply the rules of another repository or tree than the folder's. */
export async function filterIgnored(
  context: WorkspaceContext,
  root: string,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<readonly string[]> {
  try {
    const { output } = await runGit(context, [...options, 'check-ignore', '-z', '--stdin'], {
      cwd: root,
      // A pattern for folders matches only existing folders, so the paths are passed as they are.
      input: paths.map((path) => `${path}\0`).join(''),
      accept: [1],
    });
    return splitZero(output);
  } catch (error) {
    await assertNoSubmodule(context, root, paths, options);
    throw error;
  }
}

const SUBMODULE = /^160000 [^\t]*\t/u;

/**
 * Rejects paths in submodules of a repository, which git answers no questions about. Paths in a submodule that is checked out belong to
 * its own repository.
 */
export async function assertNoSubmodule(
  context: WorkspaceContext,
  repository: string,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const { output } = await runGit(context, [...options, 'ls-files', '-s', '-z'], { cwd: repository });
  const submodules = splitZero(output).flatMap((line) =>
    SUBMODULE.test(line) ? [line.slice(line.indexOf('\t') + 1)] : [],
  );
  for (const path of paths) {
    const submodule = submodules.find((folder) => path !== folder && isWithin(folder, path));
    if (submodule === undefined) continue;
    throw new Fault('E_DENIED', `${path} is in the submodule ${submodule}, which is not checked out.`, {
      hint: 'Run the item in the repository of the submodule, or, without --branch, check it out: git submodule update --init',
      details: { reason: 'invariant_violated', path },
    });
  }
}

function findEmptyFolders(root: string, folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  if (entries.length === 0) return [folder];
  if (entries.some(({ name }) => name === '.git')) return [];
  return entries
    .filter((entry) => entry.isDirectory() && !isUnsupported(entry.name))
    .flatMap(({ name }) => findEmptyFolders(root, `${folder}/${name}`));
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

async function readThroughFile(
  context: WorkspaceContext,
  root: string,
  args: readonly string[],
): Promise<Buffer> {
  const path = join(context.temporaryFolder, `deed-git-${uniqueName()}.tmp`);
  const file = openSync(path, 'wx', 0o600);
  try {
    await runGit(context, args, { cwd: root, toFile: file });
    return readFileSync(path);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

/** A spread could exceed the maximum number of arguments. */
function append(target: string[], items: readonly string[]): void {
  for (const item of items) target.push(item);
}

export function splitZero(bytes: Buffer): string[] {
  if (bytes.length === 0) return [];
  const parts = bytes.toString('utf8').split('\0');
  parts.pop();
  return parts;
}

/** Hashes the index entries; changes when something is staged, not when git refreshes its index. */
export function hashIndex(text: VisibleText): string {
  return blake3Hex(text.index);
}
