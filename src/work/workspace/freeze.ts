import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { systemCode } from '../../base/system-fault.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { runGit } from './git.ts';
import { keepContents } from './keep-contents.ts';
import { resolveTree, type Tree } from './resolve-tree.ts';
import { snapshotFolder } from './read-snapshot.ts';
import { walkTree, type TreeState } from './walk-tree.ts';
import type { FreezeOptions, Snapshot, WorkspaceWorld } from './workspace.ts';

/** Records the state of a tree: its git-visible files, HEAD, branch and index. */
export async function freeze(
  world: WorkspaceWorld,
  path: string,
  options: FreezeOptions = {},
): Promise<Snapshot> {
  ensurePrivateFolder(world.folder);
  return (await freezeTree(world, await resolveTree(world, path), options)).snapshot;
}

/** A snapshot together with what the walk has in memory anyway. */
export interface Frozen {
  readonly snapshot: Snapshot;
  readonly state: TreeState;
}

export async function freezeTree(
  world: WorkspaceWorld,
  tree: Tree,
  options: FreezeOptions = {},
): Promise<Frozen> {
  const head = readHead(world, tree);
  const state = await walkTree(world, tree);
  if (options.contents === true) keepContents(world, tree.root, state.manifest);
  const snapshot: Snapshot = {
    id: randomId(),
    root: tree.root,
    hash: state.stateHash,
    ...(await head),
    indexHash: state.indexHash,
    takenAt: isoTime(world.clock.now()),
    entries: state.manifest.paths.length,
    ownEntries: state.ownIds,
    skipped: state.skipped,
  };
  writeSnapshot(world, snapshot);
  return { snapshot, state };
}

async function readHead(
  world: WorkspaceWorld,
  tree: Tree,
): Promise<{ head: string | null; branch: string | null }> {
  const ask = async (args: readonly string[]): Promise<string | null> => {
    const { exitCode, output } = await runGit(world, args, { cwd: tree.root, accept: [1] });
    return exitCode === 0 ? output.toString('utf8').trim() : null;
  };
  // A branch that has no commit yet is named by HEAD and cannot be resolved.
  const [head, branch] = await Promise.all([
    ask(['rev-parse', '--quiet', '--verify', 'HEAD']),
    ask(['symbolic-ref', '--quiet', '--short', 'HEAD']),
  ]);
  return { head, branch };
}

function writeSnapshot(world: WorkspaceWorld, snapshot: Snapshot): void {
  const path = join(snapshotFolder(world), `${snapshot.id}.json`);
  const write = (): void => writeFileDurably(path, JSON.stringify(snapshot), { sync: false });
  try {
    write();
  } catch (error) {
    if (systemCode(error instanceof Error ? error.cause : undefined) !== 'ENOENT') throw error;
    ensurePrivateFolder(snapshotFolder(world));
    write();
  }
}
