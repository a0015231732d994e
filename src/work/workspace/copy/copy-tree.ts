import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { systemCode } from '../../../base/system-fault.ts';
import type { Manifest } from '../manifest.ts';
import type { Tree } from '../tree.ts';

/** Copies the entries of a manifest; the file system shares the blocks where it can. What went away meanwhile is drift. */
export function copyEntries(from: string, to: string, { paths }: Manifest): void {
  for (const path of paths) copyEntry(join(from, path), join(to, path));
}

/** Copies one entry over whatever is there; removes that when there is nothing to copy. */
export function copyEntry(from: string, to: string): void {
  const stats = lookAt(from);
  if (stats === undefined) {
    rmSync(to, { recursive: true, force: true });
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isDirectory()) {
    mkdirSync(to, { recursive: true });
    chmodSync(to, stats.mode & 0o777);
    return;
  }
  rmSync(to, { recursive: true, force: true });
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stats.isFile()) copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

/**
 * Copies the repository without its objects, which it borrows from the original: git works inside, and what it writes goes with the
 * copy. `objects` is where commands find the original ones.
 */
export function copyRepository(tree: Tree, to: string, objects: string): void {
  const source = join(tree.root, '.git');
  if (!existsSync(source)) return;
  if (!lstatSync(source).isDirectory()) {
    // A linked worktree or submodule: a file that says where the repository is.
    copyFileSync(source, join(to, '.git'));
    return;
  }
  cpSync(source, join(to, '.git'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      const name = relative(source, path);
      return name !== 'objects' && !name.endsWith('.lock') && isPlain(path);
    },
  });
  mkdirSync(join(to, '.git/objects/info'), { recursive: true });
  writeFileSync(join(to, '.git/objects/info/alternates'), `${objects}\n`);
}

function isPlain(path: string): boolean {
  const stats = lookAt(path);
  return stats !== undefined && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink());
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
