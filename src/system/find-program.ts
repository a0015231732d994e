import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Finds a program in PATH; undefined when there is none. */
export function findProgram(name: string, path: string): string | undefined {
  return namedPaths(name, path).find(isProgram);
}

/** Lists every program of a name in PATH order. */
export function listPrograms(name: string, path: string): readonly string[] {
  return namedPaths(name, path).filter(isProgram);
}

function namedPaths(name: string, path: string): readonly string[] {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
