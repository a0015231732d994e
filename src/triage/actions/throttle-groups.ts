import { readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'deed-throttle-';

/** Returns the name of the cgroup for the tree of a process. */
export function throttleGroupName(pid: number, startTicks: number): string {
  return `${PREFIX}${pid}-${startTicks}`;
}

/** Removes a cgroup without processes; the kernel refuses to remove a cgroup with processes. Returns whether it was removed. */
export function removeEmptyGroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Removes the groups in a folder whose throttled processes have all exited. */
export function removeEmptyGroups(folder: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // The cgroups of this machine cannot be read, so no group was created there either.
    return;
  }
  for (const name of names) if (name.startsWith(PREFIX)) removeEmptyGroup(join(folder, name));
}
