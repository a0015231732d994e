import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Fault } from '../base/fault.ts';

/** Opens a file, by default for reading. Anything else, such as a named pipe, is an error: reading it could block indefinitely. */
export function openFile(path: string, flags = constants.O_RDONLY): number {
  const file = openSync(path, flags | constants.O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Fault('E_IO', `${path} is not a file.`, { details: { path } });
}
