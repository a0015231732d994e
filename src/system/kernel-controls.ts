import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const WRITABLE = 0o222;

/**
 * Lists what below `/proc` steers the kernel and not a process: every folder that is no process, and every file that somebody may
 * write. Root may write them without any capability, so a sandbox must cover them; empty where there is no `/proc`.
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
