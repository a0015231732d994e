import { blake3Hex } from '../../../system/blake3.ts';
import { chunksOf } from '../../../base/chunks-of.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import { collectContent } from '../read-content.ts';
import { objectSource } from '../rollback-promotion.ts';
import type { TreeChange, WorkspaceContext } from '../workspace.ts';
import type { StoredForm } from './stored-form.ts';
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

/** Lists the changed paths whose content before the change, in the working tree, differs from the content in a commit. */
export async function findDifferences(
  context: WorkspaceContext,
  root: string,
  commit: string,
  changes: readonly TreeChange[],
  stored: StoredForm,
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
  const source = objectSource(context);
  const different: string[] = [];
  for (const { path, before } of changes) {
    if (hashes.get(path) === before?.hash) continue;
    const object = entries.get(path)?.object;
    const isSame =
      object !== undefined &&
      before?.type === 'file' &&
      stored.isConverted(path) &&
      (await stored.blobOf(path, collectContent(source(path, before)), false)) === object;
    if (!isSame) different.push(path);
  }
  return different;
}
