import { writeFileSync } from 'node:fs';
import { runGit } from '../git.ts';
import { parseCommitObject, renderMovedCommit, type CommitObject } from '../objects/commit-object.ts';
import { readLoose } from '../objects/read-loose.ts';
import { readObjects } from '../objects/read-objects.ts';
import { writeObject } from '../objects/write-object.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** The merge of a commit with the tip of a branch: a tree, or the paths that conflict. */
export type MergedTree =
  | { readonly kind: 'merged'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** Merges a commit into a tip without a working tree. */
export async function mergeTrees(
  context: WorkspaceContext,
  root: string,
  { tip, commit }: { readonly tip: string; readonly commit: string },
): Promise<MergedTree> {
  const { exitCode, output } = await runGit(
    context,
    ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', tip, commit],
    { cwd: root, accept: [1] },
  );
  const [tree = '', ...paths] = output.toString('utf8').split('\0').filter(Boolean);
  return exitCode === 0 ? { kind: 'merged', tree } : { kind: 'conflict', paths: [...new Set(paths)] };
}

/** Writes the difference between a commit and a tree to a file that `git apply` reads. */
export async function writePatch(
  context: WorkspaceContext,
  root: string,
  { from, to, file }: { readonly from: string; readonly to: string; readonly file: string },
): Promise<void> {
  const args = [
    'diff',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    from,
    to,
  ];
  const { output } = await runGit(context, args, { cwd: root });
  writeFileSync(file, output, { mode: 0o644 });
}

/** Writes a commit again on another parent and tree; author, dates and message stay. */
export async function rewriteCommit(
  context: WorkspaceContext,
  root: string,
  commit: CommitObject,
  place: { readonly parent: string; readonly tree: string },
): Promise<string> {
  return writeObject(context, root, 'commit', renderMovedCommit(commit, place));
}

/** Reads two commits; undefined if the clone does not have both. */
export async function readCommits(
  context: WorkspaceContext,
  root: string,
  ids: readonly [string, string],
): Promise<readonly [CommitObject, CommitObject] | undefined> {
  const recent = await readLoose(context, root, ids);
  const rest = ids.filter((id) => !recent.has(id));
  const found = new Map([...recent, ...(await readObjects(context, root, rest))]);
  const [first, second] = ids.map((id) => {
    const object = found.get(id);
    return object?.type === 'commit' ? parseCommitObject(object.content) : undefined;
  });
  return first && second && [first, second];
}

/** Moves refs of the clone to commits, all or none, or creates them. */
export async function placeRefs(
  context: WorkspaceContext,
  root: string,
  refs: Readonly<Record<string, string>>,
): Promise<void> {
  const lines = Object.entries(refs).map(([ref, commit]) => `update ${ref} ${commit}\n`);
  await runGit(context, ['update-ref', '--stdin'], { cwd: root, input: lines.join('') });
}
