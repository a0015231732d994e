import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../system/list-names.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { treeFolder } from './tree-lock.ts';
import type { WorkspaceContext } from './workspace.ts';

/** The folder with the promotion logs of a tree; the caller must hold the tree's lock to look for unfinished ones. */
export function promotionLogFolder(context: WorkspaceContext, treeId: string): string {
  const path = join(treeFolder(context, treeId), 'journals');
  ensurePrivateFolder(path);
  return path;
}

/** Lists the ids of all known trees. */
export function listTreeIds(context: WorkspaceContext): readonly string[] {
  return listNames(join(context.folder, 'trees'));
}

/** Finds the log file of a promotion in any tree. */
export function findPromotionLog(context: WorkspaceContext, name: string): string | undefined {
  const folder = listTreeIds(context)
    .map((treeId) => promotionLogFolder(context, treeId))
    .find((path) => readdirSync(path).includes(name));
  return folder === undefined ? undefined : join(folder, name);
}
