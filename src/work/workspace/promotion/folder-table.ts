import { fstatSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { ownUid } from '../../../system/account.ts';
import { openAnchoredFolder, type AnchoredFolder } from '../../../system/anchored-folder.ts';
import type { Libc } from '../../../system/libc/libc.ts';
import type { FolderHandle, EntryOwner } from './tree-io.ts';

/** The open folders of a tree, and the account in whose name their entries are accessed. */
export interface FolderTable {
  readonly open: (path: string) => FolderHandle;
  readonly close: (folder: FolderHandle) => void;
  /** A path to a name in an open folder. */
  readonly at: (folder: FolderHandle, name: string) => string;
  /**
   * Runs an action on entries of a folder. In a folder of another account, root acts as that account: even if its owner exchanges
   * entries meanwhile, nothing is read or written that the owner could not read or write.
   */
  readonly as: <T>(folder: FolderHandle, action: () => T) => T;
  /** Whether root acts as another account in a folder. */
  readonly isOfOther: (folder: FolderHandle) => boolean;
  /** Rejects a folder that was just created if its owner differs from the owner of its parent: another process has replaced it. */
  readonly assertOwn: (parent: FolderHandle, created: AnchoredFolder, name: string) => void;
}

export function createFolderTable(libc: Libc | undefined): FolderTable {
  const folders = new Map<FolderHandle, AnchoredFolder>();
  const owners = new Map<FolderHandle, EntryOwner>();
  return {
    open: (path) => {
      const folder = openAnchoredFolder(path);
      folders.set(folder.descriptor, folder);
      const { uid, gid } = fstatSync(folder.descriptor);
      if (ownUid() === 0 && uid !== 0) owners.set(folder.descriptor, { uid, gid });
      return folder.descriptor;
    },
    close: (folder) => {
      folders.get(folder)?.close();
      folders.delete(folder);
      owners.delete(folder);
    },
    at: (folder, name) => folders.get(folder)?.at(name) ?? '',
    as: (folder, action) => {
      const owner = owners.get(folder);
      if (owner === undefined) return action();
      if (libc === undefined) throw noAccount(owner);
      return libc.asAccount(owner, action);
    },
    isOfOther: (folder) => owners.has(folder),
    assertOwn: (parent, { descriptor }, name) => {
      if (fstatSync(descriptor).uid === (owners.get(parent)?.uid ?? ownUid())) return;
      throw new Fault('E_CONFLICT', `${name} was replaced while it was created; nothing was written.`, {
        details: { paths: [name], reason: 'drift' },
      });
    },
  };
}

function noAccount({ uid }: EntryOwner): Fault {
  return new Fault(
    'E_CONFIG',
    `Root cannot act as the owner of this tree, uid ${uid}, without the C library.`,
    {
      hint: 'Run the command as the owner of the tree, or use Linux with glibc or musl.',
      details: { uid },
    },
  );
}
