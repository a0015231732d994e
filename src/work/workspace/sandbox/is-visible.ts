import { isWithin } from '../resolve-tree.ts';
import { ownerOf } from '../tree-owner.ts';
import type { SandboxPolicy, WorkspaceContext } from '../workspace.ts';
import { listHiddenPaths, PRIVATE_FOLDERS, privateHome } from './hidden-paths.ts';
import { listReadPaths } from './plan-sandbox.ts';

/** Whether a path of the machine is in a folder that the sandbox replaces or hides. */
export function createHiddenTest(context: WorkspaceContext, owner?: number): (path: string) => boolean {
  const home = privateHome(context);
  const folders = [
    ...PRIVATE_FOLDERS,
    ...(home === undefined ? [] : [home]),
    ...listHiddenPaths(context, owner).map(({ path }) => path),
  ];
  return (path) => folders.some((folder) => isWithin(folder, path));
}

/** Whether commands on a tree see a path of the machine: it is not hidden, or in a part that stays open. */
export function createVisibleTest(
  context: WorkspaceContext,
  { policy, root }: { readonly policy: Partial<SandboxPolicy>; readonly root: string },
): (path: string) => boolean {
  const isHidden = createHiddenTest(context, ownerOf(context, root)?.uid);
  const open = [root, ...listReadPaths(context, policy), ...(policy.writePaths ?? [])];
  return (path) => !isHidden(path) || open.some((folder) => isWithin(folder, path));
}
