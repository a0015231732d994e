import { lstatSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { listKernelControls } from '../../../system/kernel-controls.ts';
import { isWithin } from '../resolve-tree.ts';
import { createStateTest } from '../exposes-state.ts';
import type { WorkspaceRecord } from '../workspace-record.ts';
import type { SpawnOptions, WorkspaceContext } from '../workspace.ts';
import { listHiddenPaths, listReachableSockets, privateHome } from './hidden-paths.ts';
import type { SandboxPlan } from './render-sandbox.ts';
import { listToolPaths } from './tool-paths.ts';

/** The path of the writable scratch folder inside the sandbox. */
export const SCRATCH_INSIDE = '/run/deed';

export interface SandboxPaths extends Pick<SandboxPlan, 'tree' | 'binds' | 'temporary' | 'runAs'> {
  readonly scratch: string;
  /** The folder that commands see as their home. */
  readonly home: string;
  /** Whether a path of the tree shows the user's content; false for a copy. */
  readonly isUserContent: (path: string) => boolean;
}

/** Determines what a command of this workspace can read and write. */
export function planSandbox(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  paths: SandboxPaths,
  options: Pick<SpawnOptions, 'cwd' | 'network'>,
): SandboxPlan {
  const hidden = listHiddenPaths(context, ownerIfOther(context, record));
  const home = privateHome(context);
  const writePaths = record.policy.writePaths ?? [];
  const readPaths = [...listReadPaths(context, record.policy), ...resolverFile()];
  const { tree, binds, temporary, runAs } = paths;
  const isReachable = (path: string): boolean =>
    !writePaths.some((open) => isWithin(open, path)) &&
    (!isWithin(record.mountAt, path) || paths.isUserContent(path.slice(record.mountAt.length + 1)));
  return {
    tree,
    binds,
    temporary,
    ...(runAs === undefined ? {} : { runAs }),
    ...(home === undefined ? {} : { home: { host: paths.home, at: home } }),
    scratch: { host: paths.scratch, inside: SCRATCH_INSIDE },
    hidden,
    sockets: listReachableSockets(hidden, home, readPaths).filter(isReachable),
    kernelControls: listKernelControls(),
    writePaths,
    readPaths,
    network: options.network ?? record.policy.network,
    ...(context.uid === 0 ? {} : { account: { uid: context.uid, gid: context.gid } }),
    cwd: resolveCwd(record.mountAt, options.cwd),
  };
}

/** Lists the paths below hidden folders and the private home that commands may read. */
export function listReadPaths(
  context: Pick<WorkspaceContext, 'accountHome' | 'deedHome' | 'stateFolders' | 'env'>,
  policy: Pick<WorkspaceRecord['policy'], 'readPaths'>,
): readonly string[] {
  const tools = listToolPaths({
    home: privateHome(context),
    searchPath: context.env.PATH ?? '',
    isState: createStateTest(context),
  });
  const paths = [...new Set([...tools, ...(policy.readPaths ?? [])])];
  // A link in a folder that is shown is shown with it, and nothing can be mounted over a link.
  return paths.filter(
    (path) => !isLink(path) || !paths.some((open) => open !== path && isWithin(open, path)),
  );
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** When root works for the owner of a tree, the home of the owner is hidden too. */
export function ownerIfOther(context: WorkspaceContext, { tree }: WorkspaceRecord): number | undefined {
  const { uid } = statSync(tree.root);
  return uid === context.uid ? undefined : uid;
}

/** Resolves a command's working directory below the root of the tree; rejects paths outside. */
export function resolveCwd(root: string, cwd = '.'): string {
  const path = join(root, cwd);
  if (isWithin(root, path)) return path;
  throw new Fault('E_VALIDATION', `The folder ${cwd} is outside the tree.`, { details: { cwd } });
}

/** DNS resolution needs a file that many systems keep in /run, which is hidden. */
function resolverFile(): readonly string[] {
  try {
    const path = realpathSync('/etc/resolv.conf');
    return isWithin('/run', path) ? [path] : [];
  } catch {
    return [];
  }
}
