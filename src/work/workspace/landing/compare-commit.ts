import { blake3Hex } from '../../../system/blake3.ts';
import { chunksOf } from '../../../base/chunks-of.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { TreeChange, WorkspaceContext } from '../workspace.ts';
import { readBlobs, type CommitEntry, parseEntry } from './write-commit-files.ts';

/** Lists the entries of a commit at some paths. */
export async function listCommitted(
  context: WorkspaceContext,
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, CommitEntry>> {
  const found = new Map<string, CommitEntry>();
  for (const some of chunksOf(paths, 500)) {
    const args = ['--literal-pathspecs', 'ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', ...some];
    for (const line of splitZero((await runGit(context, args, { cwd: root })).output)) {
      const entry = parseEntry(line);
      found.set(entry.path, entry);
    }
  }
  return found;
}

/** Lists the changed paths whose content before the change differs from the content in a commit. */
export async function findDifferences(
  context: WorkspaceContext,
  root: string,
  commit: string,
  changes: readonly TreeChange[],
): Promise<readonly string[]> {
  const entries = await listCommitted(
    context,
    root,
    commit,
    changes.map(({ path }) => path),
  );
  const present = changes.flatMap(({ path }) => entries.get(path) ?? []);
  const contents = await readBlobs(context, root, present);
  const hashes = new Map(present.map(({ path }, index) => [path, blake3Hex(contents[index] ?? '')]));
  return changes.filter(({ path, before }) => hashes.get(path) !== before?.hash).map(({ path }) => path);
}
