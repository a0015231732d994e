import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../base/system-fault.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { treeFolder } from './tree-lock.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Where the promotions into one tree are noted; whoever looks for unfinished ones there must hold the tree's lock. */
export function journalFolder(context: WorkspaceContext, treeId: string): string {
  const path = join(treeFolder(context, treeId), 'journals');
  ensurePrivateFolder(path);
  return path;
}

/** Lists the trees that we know. */
export function listTreeIds(context: WorkspaceContext): readonly string[] {
  try {
    return readdirSync(join(context.folder, 'trees'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Finds the file of a promotion, in whatever tree it was. */
export function findJournalFile(context: WorkspaceContext, name: string): string | undefined {
  const folder = listTreeIds(context)
    .map((treeId) => journalFolder(context, treeId))
    .find((path) => readdirSync(path).includes(name));
  return folder === undefined ? undefined : join(folder, name);
}
