import type { WorkContext } from '../work-context.ts';
import { assertOwnTree } from '../workspace/landing/open-checkout.ts';
import { readBranch } from '../workspace/landing/read-branch.ts';
import { readIdentity } from '../workspace/landing/read-identity.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';

/** Rejects a branch on which no run could land, before anything runs. */
export async function assertLanding({ workspace }: WorkContext, root: string, branch: string): Promise<void> {
  const tree = await resolveTree(workspace, root);
  assertOwnTree(workspace, tree);
  await readBranch(workspace, tree, branch);
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
