import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileIfPresent } from '../../../system/durable-file.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import { isWithin } from '../resolve-tree.ts';
import type { Tree } from '../tree.ts';
import { isUnsupported } from '../unsupported-name.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** Every command mounts each of these folders, which takes time. */
const MAX_FOLDERS = 32;

/** What is ignored in the user's tree is ignored in the checkout too, regardless of the rules of the branch. */
export function writeExcludes(userTree: Tree, gitFolder: string, names: readonly string[]): void {
  const own = readFileIfPresent(join(userTree.commonFolder, 'info/exclude')) ?? '';
  const quoted = names.map((name) => `/${name.replaceAll(/[\\*?[\]!# ]/gu, '\\$&')}`);
  mkdirSync(join(gitFolder, 'info'), { recursive: true });
  writeFileSync(join(gitFolder, 'info/exclude'), `${own}\n${quoted.join('\n')}\n`);
}

/** Ignored files such as .env are copied; ignored folders are shared. */
export function copyIgnoredFiles(userTree: Tree, ignored: readonly string[], to: string): readonly string[] {
  return ignored.filter((name) => {
    const from = join(userTree.root, name);
    if (name.endsWith('/') || isUnsupported(name)) return false;
    rmSync(join(to, name), { force: true });
    if (lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return false;
    copyIfPresent(from, join(to, name));
    return true;
  });
}

/** The ignored folders that commands see in the checkout, those at the top first. */
export function ignoredFolders(
  context: WorkspaceContext,
  userTree: Tree,
  ignored: readonly string[],
): readonly string[] {
  const names = ignored
    .filter((name) => name.endsWith('/') && !isUnsupported(name) && !name.includes('\n'))
    .map((name) => name.slice(0, -1))
    // A repository below the tree has its own state.
    .filter(
      (name) =>
        !existsSync(join(userTree.root, name, '.git')) &&
        !isWithin(join(userTree.root, name), context.folder),
    );
  return names.toSorted((left, right) => depthOf(left) - depthOf(right)).slice(0, MAX_FOLDERS);
}

/** Lists what the user's tree ignores; names of folders end with a slash. */
export async function listIgnored(context: WorkspaceContext, userTree: Tree): Promise<readonly string[]> {
  const args = ['ls-files', '-o', '-i', '-z', '--exclude-standard', '--directory'];
  return splitZero((await runGit(context, args, { cwd: userTree.root })).output);
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** Copies a file that may not exist. */
export function copyIfPresent(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
}
