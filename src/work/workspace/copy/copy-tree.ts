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

/** Copies the entries of a manifest, sharing blocks where the file system can. Entries deleted in between count as drift. */
export function copyEntries(from: string, to: string, { paths }: Manifest): void {
  for (const path of paths) copyEntry(join(from, path), join(to, path));
}

/** Replaces the target by a copy of one entry; removes it if the entry does not exist. */
export function copyEntry(from: string, to: string): void {
  const stats = statIfPresent(from);
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
 * Copies the repository without its objects, which are shared with the original: git works inside the copy, and its writes are
 * discarded with it. `objects` is the path of the original objects inside the sandbox.
 */
export function copyRepository(tree: Tree, to: string, objects: string): void {
  const source = join(tree.root, '.git');
  if (!existsSync(source)) return;
  if (!lstatSync(source).isDirectory()) {
    // A linked worktree or submodule: a file with the path of the repository.
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
  const stats = statIfPresent(path);
  return stats !== undefined && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink());
}

function statIfPresent(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
