import type { WorkContext } from '../work-context.ts';
import { listUncommitted } from '../workspace/landing/list-uncommitted.ts';
import { assertOwnTree } from '../workspace/landing/open-checkout.ts';
import { readBranch } from '../workspace/landing/read-branch.ts';
import { readIdentity } from '../workspace/landing/read-identity.ts';
import { assertCommitPaths } from '../workspace/landing/write-commit-files.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';

/** Rejects a branch on which no run could land, before anything runs. */
export async function assertLanding({ workspace }: WorkContext, root: string, branch: string): Promise<void> {
  const tree = await resolveTree(workspace, root);
  assertOwnTree(workspace, tree);
  const { base } = await readBranch(workspace, tree, branch);
  await assertCommitPaths(workspace, root, base);
  await readIdentity(workspace, root);
}

/** Describes where runs land, for previews. */
export async function describeLanding(
  { workspace }: WorkContext,
  root: string,
  branch: string,
): Promise<{ readonly branch: string; readonly base: string; readonly author: string }> {
  const { base } = await readBranch(workspace, await resolveTree(workspace, root), branch);
  const { name, email } = await readIdentity(workspace, root);
  return { branch, base, author: `${name} <${email}>` };
}

const MAX_LISTED = 5;

/** Warns that edits in the working tree are not part of work that starts from a commit. */
export async function warnUncommitted(
  { workspace, warn }: Pick<WorkContext, 'workspace' | 'warn'>,
  root: string,
  todo: string,
): Promise<void> {
  const paths = await listUncommitted(workspace, root);
  if (paths.length === 0) return;
  const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
  warn?.(
    `Uncommitted changes are not part of the work: ${paths.slice(0, MAX_LISTED).join(', ')}${more}. ${todo}`,
  );
}
