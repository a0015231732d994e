import { Fault } from '../../base/fault.ts';
import { isWithin } from './resolve-tree.ts';
import { listStateFolders, realPathOf } from './state-folders.ts';
import type { WorkspaceContext } from './workspace.ts';

type Folders = Pick<WorkspaceContext, 'deedHome' | 'accountHome' | 'stateFolders'>;

/** Creates a function that returns whether a path exposes state of deed: it contains a folder with state, or is in such a folder but not in its folder of programs. */
export function createStateTest(context: Folders): (path: string) => boolean {
  const home = realPathOf(context.accountHome);
  const folders = listStateFolders(context);
  return (path) => {
    const real = realPathOf(path);
    return folders.some((folder) => {
      if (isWithin(real, folder)) return true;
      // With the account's home as the home of deed, everything of the account is in it.
      return isWithin(folder, real) && !isWithin(folder, home) && !isWithin(`${folder}/bin`, real);
    });
  };
}

/** Rejects paths of an agent's configuration that would expose the state of deed to its commands. */
export function assertHidesState(context: Folders, paths: readonly string[]): void {
  const path = paths.find(createStateTest(context));
  if (path === undefined) return;
  throw new Fault('E_CONFIG', `A run cannot have access to ${path}, which contains keys and state of deed.`, {
    hint: 'Remove it from the read_paths and write_paths of the agent, or list only the folders that the agent needs.',
    details: { path, state_folders: [...listStateFolders(context)] },
  });
}
