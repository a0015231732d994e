import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { syncFolder, writeNewFile } from '../system/durable-file.ts';
import { removeAbandonedSiblings, temporarySibling } from '../system/temporary-sibling.ts';
import { EXECUTABLE_NAME } from './unpack-release.ts';

/** The new executable, complete and next to the old one, so that a rename installs it. */
export interface PreparedExecutable {
  readonly path: string;
  /** Replaces the old executable. The only step that changes the installation. */
  readonly swap: () => void;
  readonly discard: () => void;
}

/** Writes the new executable next to the one it will replace, with the same owner and mode. */
export function prepareExecutable(target: string, content: Uint8Array): PreparedExecutable {
  const parent = dirname(target);
  const folder = temporarySibling(target, 'update');
  const path = join(folder, EXECUTABLE_NAME);
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    // Files left over from a killed update.
    removeAbandonedSiblings(target, ['update']);
    const former = statSync(target);
    mkdirSync(folder, { mode: 0o700 });
    writeNewFile(path, content, 0o700, true);
    keepOwner(path, former);
    chmodSync(path, (former.mode & 0o777) | 0o100);
  } catch (error) {
    discard();
    throw explain(error, target);
  }
  const swap = (): void => {
    try {
      renameSync(path, target);
      syncFolder(parent);
    } catch (error) {
      throw explain(error, target);
    }
  };
  return { path, swap, discard };
}

/** Only root can change an owner; for any other user the owner is already the same. */
function keepOwner(path: string, former: { readonly uid: number; readonly gid: number }): void {
  const own = statSync(path);
  if (own.uid !== former.uid || own.gid !== former.gid) chownSync(path, former.uid, former.gid);
}

function explain(error: unknown, target: string): Fault {
  const fault = faultFromSystem(error, 'replace', target);
  if (fault.code !== 'E_FORBIDDEN') return fault;
  return new Fault(fault.code, fault.message, {
    hint: `Run the update as a user with write access to ${dirname(target)}, or move ${basename(target)} to a folder that you own.`,
    details: fault.details,
    cause: error,
  });
}
