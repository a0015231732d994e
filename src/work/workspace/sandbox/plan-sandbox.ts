import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { listKernelControls } from '../../../system/kernel-controls.ts';
import { isWithin } from '../resolve-tree.ts';
import type { WorkspaceRecord } from '../workspace-record.ts';
import type { SpawnOptions, WorkspaceContext } from '../workspace.ts';
import { listHiddenPlaces, listReachableSockets } from './hidden-places.ts';
import type { SandboxPlan } from './render-sandbox.ts';

/** Where commands find the folder that they may write beside the tree. */
export const SCRATCH_INSIDE = '/run/deed';

export interface SandboxPlaces extends Pick<SandboxPlan, 'tree' | 'binds' | 'temporary' | 'become'> {
  readonly scratch: string;
  /** Tells whether a path of the tree shows what the user has there; a copy never does. */
  readonly showsUser: (path: string) => boolean;
}

/** Decides what a command of this workspace can see and write. */
export function planSandbox(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  places: SandboxPlaces,
  options: Pick<SpawnOptions, 'cwd' | 'network'>,
): SandboxPlan {
  const hidden = listHiddenPlaces(context);
  const writePaths = record.policy.writePaths ?? [];
  const { tree, binds, temporary, become } = places;
  const isReachable = (path: string): boolean =>
    !writePaths.some((open) => isWithin(open, path)) &&
    (!isWithin(record.mountAt, path) || places.showsUser(path.slice(record.mountAt.length + 1)));
  return {
    tree,
    binds,
    temporary,
    ...(become === undefined ? {} : { become }),
    scratch: { host: places.scratch, inside: SCRATCH_INSIDE },
    hidden,
    sockets: listReachableSockets(hidden).filter(isReachable),
    kernelControls: listKernelControls(),
    writePaths,
    readPaths: [...(record.policy.readPaths ?? []), ...resolverFile()],
    network: options.network ?? record.policy.network,
    ...(context.uid === 0 ? {} : { account: { uid: context.uid, gid: context.gid } }),
    cwd: insideTree(record.mountAt, options.cwd),
  };
}

/** Joins a command's folder to the tree's root; one that leads out is refused. */
export function insideTree(root: string, cwd = '.'): string {
  const path = join(root, cwd);
  if (isWithin(root, path)) return path;
  throw new Fault('E_VALIDATION', `The folder ${cwd} lies outside of the tree.`, { details: { cwd } });
}

/** Names are looked up by a file that many systems keep under /run, which is hidden. */
function resolverFile(): readonly string[] {
  try {
    const path = realpathSync('/etc/resolv.conf');
    return isWithin('/run', path) ? [path] : [];
  } catch {
    return [];
  }
}
