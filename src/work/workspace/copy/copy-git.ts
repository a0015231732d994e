import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { removeFolder } from '../../../system/remove-folder.ts';

/** A repository below the tree; `path` is empty for the tree itself. */
export interface Repository {
  readonly path: string;
  /** The folder with the branch and the index. In a linked worktree, `commonFolder` has the objects. */
  readonly gitFolder: string;
  readonly commonFolder: string;
}

/** Finds the repository of a folder with a `.git`; undefined if there is none, or if it points nowhere. */
export function findRepository(root: string, path: string): Repository | undefined {
  const at = join(root, path, '.git');
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return { path, gitFolder: at, commonFolder: at };
  if (stats?.isFile() !== true) return undefined;
  const named = /^gitdir: (.+)$/mu.exec(readFileSync(at, 'utf8'))?.[1]?.trim();
  if (named === undefined) return undefined;
  const gitFolder = resolve(join(root, path), named);
  if (!existsSync(gitFolder)) return undefined;
  return { path, gitFolder, commonFolder: commonFolderOf(gitFolder) };
}

/**
 * Gives the copy of a repository its own `.git` folder, even if the original has only a file there: git works inside the copy, and nothing that it does
 * reaches the original. Only the objects are shared; `objects` is their path as commands see it.
 */
export function copyRepository(repository: Repository, to: string, objects: string): void {
  const { gitFolder, commonFolder } = repository;
  const target = join(to, repository.path, '.git');
  copyGitFolder(commonFolder, target);
  // The branch and the index of a linked worktree replace the branch and the index of the main worktree.
  if (gitFolder !== commonFolder) copyGitFolder(gitFolder, target);
  for (const name of ['gitdir', 'commondir']) removeFolder(join(target, name));
  dropWorktreeSetting(join(target, 'config'));
  mkdirSync(join(target, 'objects/info'), { recursive: true });
  writeFileSync(join(target, 'objects/info/alternates'), `${objects}\n`);
}

/** Entries that are not copied: objects, locks, other worktrees, hooks, and submodules, which are copied with their own path. */
const LEFT_OUT: ReadonlySet<string> = new Set(['objects', 'worktrees', 'modules', 'hooks']);

function copyGitFolder(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      if (dirname(path) === from && LEFT_OUT.has(basename(path))) return false;
      const stats = lstatSync(path, { throwIfNoEntry: false });
      const isPlain =
        stats?.isFile() === true || stats?.isDirectory() === true || stats?.isSymbolicLink() === true;
      return isPlain && !path.endsWith('.lock');
    },
  });
}

/** The configuration of a submodule names its working tree relative to the original folder; the last value counts. */
function dropWorktreeSetting(config: string): void {
  if (!existsSync(config) || !/^\s*worktree\s*=/imu.test(readFileSync(config, 'utf8'))) return;
  appendFileSync(config, '\n[core]\n\tworktree = ..\n');
}

function commonFolderOf(gitFolder: string): string {
  const file = join(gitFolder, 'commondir');
  if (!existsSync(file)) return gitFolder;
  const named = readFileSync(file, 'utf8').trim();
  return isAbsolute(named) ? named : resolve(gitFolder, named);
}
