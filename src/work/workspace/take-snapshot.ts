import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { systemCode } from '../../base/system-fault.ts';
import { writeStored } from '../../system/stored-document.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { runGit } from './git.ts';
import { readOwnBranch } from './landing/private-repository.ts';
import { storeContents } from './store-contents.ts';
import { resolveTree } from './resolve-tree.ts';
import type { Tree } from './tree.ts';
import { snapshotFolder } from './read-snapshot.ts';
import { walkTree, type TreeState } from './walk-tree.ts';
import type { SnapshotOptions, Snapshot, WorkspaceContext } from './workspace.ts';

/** Records the state of a tree: its git-visible files, HEAD, branch and index. */
export async function takeSnapshot(
  context: WorkspaceContext,
  path: string,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  return (await takeTreeSnapshot(context, await resolveTree(context, path), options)).snapshot;
}

/** A snapshot with the state that was read for it. */
export interface SnapshotWithState {
  readonly snapshot: Snapshot;
  readonly state: TreeState;
}

export async function takeTreeSnapshot(
  context: WorkspaceContext,
  tree: Tree,
  options: SnapshotOptions = {},
): Promise<SnapshotWithState> {
  ensurePrivateFolder(context.folder);
  const [head, state] = await Promise.all([
    readHead(context, tree),
    walkTree(context, tree, options.onProgress),
  ]);
  if (options.contents === true) storeContents(context, tree.root, state.manifest);
  const snapshot: Snapshot = {
    id: randomId(),
    root: tree.root,
    hash: state.stateHash,
    ...head,
    indexHash: state.indexHash,
    takenAt: isoTime(context.clock.now()),
    entries: state.manifest.paths.length,
    ownEntries: state.ownIds,
    skipped: state.skipped,
  };
  writeSnapshot(context, snapshot);
  return { snapshot, state };
}

async function readHead(
  context: WorkspaceContext,
  tree: Tree,
): Promise<{ head: string | null; branch: string | null }> {
  const { checkout, gitFolder } = tree;
  if (checkout !== undefined)
    return { head: readOwnBranch(gitFolder, checkout.branch), branch: checkout.branch };
  const options = { cwd: tree.root };
  const known = await runGit(context, ['rev-parse', 'HEAD', '--abbrev-ref', 'HEAD'], {
    ...options,
    accept: [128],
  });
  if (known.exitCode === 0) {
    const [head = '', branch = ''] = known.output.toString('utf8').split('\n');
    return { head, branch: branch === 'HEAD' ? null : branch };
  }
  // HEAD names a branch without commits, so it cannot be resolved.
  const { output } = await runGit(context, ['symbolic-ref', '--short', 'HEAD'], options);
  return { head: null, branch: output.toString('utf8').trim() };
}

function writeSnapshot(context: WorkspaceContext, snapshot: Snapshot): void {
  const path = join(snapshotFolder(context), `${snapshot.id}.json`);
  const write = (): void => writeStored(path, snapshot, { sync: false });
  try {
    write();
  } catch (error) {
    if (systemCode(error instanceof Error ? error.cause : undefined) !== 'ENOENT') throw error;
    ensurePrivateFolder(snapshotFolder(context));
    write();
  }
}
