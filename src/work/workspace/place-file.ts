import { closeSync, constants, fchmodSync, openSync } from 'node:fs';
import { writeWhole } from '../../system/durable-file.ts';
import { removeFolder } from '../../system/remove-folder.ts';

/**
 * Writes a file into a folder that commands of a run can write too. What one of them has put in its place, such as a link to a file of the
 * machine, is removed and never followed.
 */
export function placeFile(path: string, content: string | Uint8Array, mode: number): void {
  const file = createPlaced(path, constants.O_WRONLY, mode);
  try {
    writeWhole(file, content);
  } finally {
    closeSync(file);
  }
}

/** Creates an empty file and opens it. */
export function createPlaced(path: string, flags: number, mode: number): number {
  removeFolder(path);
  const file = openSync(path, flags | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
  // Regardless of the umask.
  fchmodSync(file, mode);
  return file;
}
