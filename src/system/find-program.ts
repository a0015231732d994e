import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Finds a program as a shell would; nothing when there is none. */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
