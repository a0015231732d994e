import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../base/system-fault.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { treeFolder } from './tree-lock.ts';
import type { WorkspaceWorld } from './workspace.ts';

/** Where the promotions into one tree are noted; whoever looks for unfinished ones there must hold the tree's lock. */
export function journalFolder(world: WorkspaceWorld, treeId: string): string {
  const path = join(treeFolder(world, treeId), 'journals');
  ensurePrivateFolder(path);
  return path;
}

/** Lists the trees that we know. */
export function listTreeIds(world: WorkspaceWorld): readonly string[] {
  try {
    return readdirSync(join(world.folder, 'trees'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Finds the file of a promotion, in whatever tree it was. */
export function findJournalFile(world: WorkspaceWorld, name: string): string | undefined {
  const folder = listTreeIds(world)
    .map((treeId) => journalFolder(world, treeId))
    .find((path) => readdirSync(path).includes(name));
  return folder === undefined ? undefined : join(folder, name);
}
