import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { branchRef, readLandingTip, readTip } from './read-branch.ts';
import { findRunCommit } from './run-trailer.ts';
import type { Identity } from '../objects/commit-object.ts';

export interface LandRequest {
  readonly root: string;
  readonly branch: string;
  readonly commit: string;
  readonly parent: string;
  readonly runId: string;
  readonly author: Identity;
}

/**
 * Moves a branch to a commit, if it is still at the parent of the commit or does not exist. Contract: one atomic step, which decides
 * whether the run has landed. A branch that was moved or checked out meanwhile is E_CONFLICT.
 */
export async function landCommit(context: WorkspaceContext, request: LandRequest): Promise<void> {
  const { root, branch, commit, parent, runId, author } = request;
  const tip = await readLandingTip(context, root, branch);
  const env = { GIT_COMMITTER_NAME: author.name, GIT_COMMITTER_EMAIL: author.email };
  const old = tip === null ? '0'.repeat(commit.length) : parent;
  const args = ['update-ref', '-m', `deed: ${runId}`, branchRef(branch), commit, old];
  const { exitCode } = await runGit(context, args, { cwd: root, env, accept: [1, 128] });
  if (exitCode === 0) return;
  const now = await readTip(context, root, branchRef(branch));
  throw new Fault('E_CONFLICT', `The branch "${branch}" is at ${now ?? 'no commit'}, not at ${parent}.`, {
    hint: 'Someone else moved it, or another git command has it locked. Run the item again.',
    details: { branch, expected: parent, found: now },
  });
}

/** Whether the commit of a run is in its branch, or a commit that was made from it, such as an amended one. */
export async function hasLanded(
  context: WorkspaceContext,
  { root, branch, commit, runId }: Pick<LandRequest, 'root' | 'branch' | 'commit' | 'runId'>,
): Promise<boolean> {
  const ref = branchRef(branch);
  if ((await readTip(context, root, ref)) === null) return false;
  const contained = await runGit(context, ['merge-base', '--is-ancestor', commit, ref], {
    cwd: root,
    accept: [1, 128],
  });
  if (contained.exitCode === 0) return true;
  return (await findRunCommit(context, root, { revision: ref, runId })) !== undefined;
}
