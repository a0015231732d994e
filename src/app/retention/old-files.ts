import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../system/list-names.ts';
import { Fault } from '../../base/fault.ts';
import { measureFolder } from '../../system/measure-folder.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import type { Removal } from './retention-rule.ts';

export interface OldFile {
  readonly path: string;
  readonly bytes: number;
}

interface FileTimes {
  readonly since: number;
  readonly before: number;
}

/** Lists the files and folders in a folder whose content was last changed in this time and whose names are accepted. */
export function listOldFiles(
  folder: string,
  { since, before }: FileTimes,
  accepts: (name: string) => boolean = () => true,
): readonly OldFile[] {
  return namesIn(folder)
    .filter(accepts)
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined || stats.mtimeMs >= before || stats.mtimeMs < since) return [];
      return [{ path, bytes: stats.isDirectory() ? measureFolder(path) : stats.blocks * 512 }];
    });
}

export function removeFiles(files: readonly OldFile[]): Removal {
  for (const { path } of files) removeFolder(path);
  return diskSizeOf(files);
}

export function diskSizeOf(files: readonly Pick<OldFile, 'bytes'>[]): Removal {
  return { items: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Lists a folder of the home. A link is refused: what it points to does not belong to the home. */
export function namesIn(folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Fault('E_FORBIDDEN', `${folder} is a symbolic link, so it is not cleaned.`, {
      hint: 'Replace the link with a folder.',
      details: { path: folder },
    });
  return listNames(folder);
}
