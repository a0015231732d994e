import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { blake3Hex } from '../../system/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import { runGit } from './git.ts';
import { listStateFolders } from './state-folders.ts';
import type { Tree } from './tree.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Returns the working tree of a path; rejects trees on which no run may work. */
export async function resolveTree(context: WorkspaceContext, path: string): Promise<Tree> {
  const start = realPath(path);
  const { output } = await runGit(
    context,
    ['rev-parse', '--is-bare-repository', '--absolute-git-dir', '--git-common-dir', '--show-cdup'],
    { cwd: start },
  ).catch((error: unknown) => {
    // Only git's own failure means that there is no tree.
    throw error instanceof Fault && !('exit_code' in error.details) ? error : noTree(start, error);
  });
  const [bare, gitFolder = '', common = '', up = ''] = output.toString('utf8').split('\n');
  if (bare !== 'false' || start === gitFolder || start.startsWith(`${gitFolder}${sep}`)) throw noTree(start);
  const root = realPath(resolve(start, up));
  assertNotProtected(context, root);
  return {
    root,
    gitFolder,
    commonFolder: isAbsolute(common) ? common : realPath(join(start, common)),
    id: treeId(root),
  };
}

/** The id of a tree, derived from its path. */
export function treeId(root: string): string {
  return blake3Hex(root).slice(0, 32);
}

/** Whether a path is a folder or below it. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function assertNotProtected(context: WorkspaceContext, root: string): void {
  const home = realPath(context.accountHome);
  if (isWithin(root, home)) {
    throw new Fault(
      'E_PROTECTED',
      `${root} is or contains the home folder ${home}; runs are not allowed there.`,
      {
        hint: 'Use a separate repository in a folder below the home folder.',
        details: { path: root },
      },
    );
  }
  const inside = [context.folder, ...listStateFolders(context)].find((folder) => isWithin(root, folder));
  if (inside !== undefined) {
    throw new Fault('E_VALIDATION', `The deed folder ${inside} is inside the tree ${root}.`, {
      hint: 'Set DEED_HOME to a folder outside the repository.',
      details: { path: root },
    });
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw faultFromSystem(error, 'open', path);
    if (existsSync(path)) throw noProc(path, error);
    throw new Fault('E_NOT_FOUND', `Folder not found: ${path}.`, { details: { path }, cause: error });
  }
}

/** The runtime resolves real paths through /proc. */
function noProc(path: string, cause: unknown): Fault {
  return new Fault('E_CONFIG', `Cannot resolve ${path}: /proc is not mounted.`, {
    hint: 'Mount it, or start the container with it: mount -t proc proc /proc',
    details: { path },
    cause,
  });
}

function noTree(path: string, cause?: unknown): Fault {
  if (cause instanceof Fault && cause.code === 'E_CONFIG') return cause;
  return new Fault('E_VALIDATION', `${path} is not in a git working tree.`, {
    hint: 'Run this in a repository with a working tree; `git init` creates one.',
    details: { path },
    cause,
  });
}
