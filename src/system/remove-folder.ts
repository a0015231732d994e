import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** Removes a folder with everything in it, also where somebody took the owner's own access away, as overlay's work folder does. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
    return;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes(systemCode(error) ?? ''))
      throw faultFromSystem(error, 'remove', path);
  }
  openFolders(path);
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw faultFromSystem(error, 'remove', path);
  }
}

function openFolders(path: string): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(join(path, entry.name));
}
