import { writeFileSync } from 'node:fs';
import { runGit } from '../git.ts';
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

/** Writes a commit again on another parent and tree; author, date and message stay. */
export async function rewriteCommit(
  context: WorkspaceContext,
  root: string,
  { commit, parent, tree }: { readonly commit: string; readonly parent: string; readonly tree: string },
): Promise<string> {
  const format = ['%an', '%ae', '%at', '%cn', '%ce', '%B'].join('%x00');
  const shown = await runGit(context, ['show', '-s', '--no-show-signature', `--format=${format}`, commit], {
    cwd: root,
  });
  const [name = '', email = '', at = '', committer = '', committerEmail = '', ...message] = shown.output
    .toString('utf8')
    .split('\0');
  const { output } = await runGit(context, ['commit-tree', '--no-gpg-sign', '-p', parent, '-F', '-', tree], {
    cwd: root,
    input: `${message.join('\0').trimEnd()}\n`,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: `${at} +0000`,
      GIT_COMMITTER_NAME: committer,
      GIT_COMMITTER_EMAIL: committerEmail,
      GIT_COMMITTER_DATE: `${at} +0000`,
    },
  });
  return output.toString('utf8').trim();
}

/** The only parent of a commit, and its tree. */
export async function readCommit(
  context: WorkspaceContext,
  root: string,
  commit: string,
): Promise<{ readonly parent: string | null; readonly tree: string }> {
  const { output } = await runGit(context, ['show', '-s', '--no-show-signature', '--format=%T %P', commit], {
    cwd: root,
  });
  const [tree = '', ...parents] = output.toString('utf8').trim().split(' ');
  return { tree, parent: parents.length === 1 ? (parents[0] ?? null) : null };
}

/** Creates a branch of the clone at a commit. */
export async function placeBranch(
  context: WorkspaceContext,
  root: string,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): Promise<void> {
  await runGit(context, ['update-ref', ref, commit], { cwd: root });
}

/** Deletes a branch of the clone; its commits stay until git prunes them. */
export async function dropBranch(context: WorkspaceContext, root: string, ref: string): Promise<void> {
  await runGit(context, ['update-ref', '-d', ref], { cwd: root, accept: [1, 128] });
}
