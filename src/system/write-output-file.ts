import { closeSync, constants, openSync, realpathSync, statSync } from 'node:fs';
import { faultFromSystem } from '../base/system-fault.ts';
import { writeFileDurably, writeWhole } from './durable-file.ts';

/**
 * Writes a file that the user named. A regular file is replaced atomically, also behind a link; into a device or a pipe the content is
 * written, because replacing it would delete it.
 */
export function writeOutputFile(path: string, content: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) {
    writeFileDurably(stats === undefined ? path : realpathSync(path), content);
    return;
  }
  let file: number | undefined;
  try {
    // Does not wait for a reader of a named pipe.
    file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    writeWhole(file, content);
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
