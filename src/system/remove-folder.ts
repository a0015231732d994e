import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';

/** Removes a folder recursively, even if subfolders deny access to their owner, as overlayfs work folders do. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
    return;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes(systemCode(error) ?? ''))
      throw faultFromSystem(error, 'remove', path);
  }
  makeAccessible(path);
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw faultFromSystem(error, 'remove', path);
  }
}

function makeAccessible(path: string): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) makeAccessible(join(path, entry.name));
}
