import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const WRITABLE = 0o222;

/**
 * Lists the entries of `/proc` that control the kernel: every folder that does not belong to a process, and every writable file.
 * Root can write them without any capability, so a sandbox must hide them. Empty when `/proc` does not exist.
 */
export function listKernelControls(proc = '/proc'): readonly string[] {
  try {
    return readdirSync(proc)
      .filter((name) => !/^\d+$/u.test(name))
      .map((name) => join(proc, name))
      .filter(isControl);
  } catch {
    return [];
  }
}

function isControl(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return false;
  return stats.isDirectory() || (stats.mode & WRITABLE) !== 0;
}
