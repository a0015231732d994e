import { Fault } from '../../base/fault.ts';
import type { WorkContext } from '../work-context.ts';
import { removeEmptyFolders } from '../workspace/landing/committable-changes.ts';
import { hasLanded, landCommit } from '../workspace/landing/land-commit.ts';
import { markCheckout, readCheckoutTip, unmarkCheckout } from '../workspace/landing/open-checkout.ts';
import { readIdentity } from '../workspace/landing/read-identity.ts';
import { writeCommit } from '../workspace/landing/write-commit.ts';
import type { Promotion, Workspace } from '../workspace/workspace.ts';
import { renderCommitMessage } from './commit-message.ts';
import type { RunDraft } from './run-draft.ts';

/** Writes the commit of a run that lands on a branch. The branch does not move yet. */
export async function prepareLanding(
  context: WorkContext,
  draft: RunDraft,
  workspace: Workspace,
): Promise<RunDraft> {
  const { landing, changes, root, jobId } = draft;
  if (landing === undefined || changes.length === 0) return draft;
  const author = await readIdentity(context.workspace, root);
  const parent = readCheckoutTip(context.workspace, jobId);
  const commit = await writeCommit(context.workspace, {
    root,
    parent,
    changes,
    source: workspace.readContent,
    author,
    message: renderCommitMessage(draft),
    atMs: context.clock.now(),
  });
  return { ...draft, landing: { ...landing, commit, parent, author } };
}

/**
 * Promotes a run: to the tree, or to its branch. On a branch, the private checkout gets the changes first; then the branch moves, which
 * decides. A process that is killed in between leaves a checkout that does not match its branch and is written again.
 */
export async function applyRun(
  context: WorkContext,
  { runId, jobId, root, changes, landing }: RunDraft,
  workspace: Workspace,
): Promise<Promotion> {
  if (landing?.commit === undefined || landing.parent === undefined || landing.author === undefined)
    return workspace.promote(changes);
  const { branch, commit, parent, author } = landing;
  unmarkCheckout(context.workspace, jobId);
  const promotion = await workspace.promote(changes);
  removeEmptyFolders(workspace.base.root, changes);
  if (context.landsElsewhere !== undefined) return promotion;
  await landCommit(context.workspace, { root, branch, commit, parent, runId, author });
  try {
    await markCheckout(context.workspace, { jobId, branch }, commit);
  } catch (error) {
    // The run has landed; the checkout is written again when it is opened.
    if (!(error instanceof Fault)) throw error;
    context.warn?.(`Cannot update the checkout of ${branch}: ${error.message}`);
  }
  return promotion;
}

/** Whether an interrupted run has landed on its branch. */
export async function landingState(
  { workspace }: WorkContext,
  { landing, root, runId }: RunDraft,
): Promise<'committed' | 'none'> {
  const { branch, commit } = landing ?? {};
  if (branch === undefined || commit === undefined) return 'none';
  return (await hasLanded(workspace, { root, branch, commit, runId })) ? 'committed' : 'none';
}
