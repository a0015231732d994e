import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../../../base/system-fault.ts';
import type { Manifest } from '../manifest.ts';

/** Copies the entries of a manifest, sharing blocks where the file system can. Entries deleted in between count as drift. */
export function copyEntries(from: string, to: string, { paths }: Manifest): void {
  for (const path of paths) copyEntry(join(from, path), join(to, path));
}

/** Replaces the target with a copy of one entry; removes it if the entry does not exist. */
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

function statIfPresent(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
