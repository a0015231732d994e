import { Fault } from '../../base/fault.ts';
import type { WorkContext } from '../work-context.ts';
import { refreshCheckout } from '../workspace/landing/open-checkout.ts';
import { readLandingTip } from '../workspace/landing/read-branch.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { RunDraft } from './run-draft.ts';

/** Rejects the approval of a run that conflicts with another change. The run itself keeps waiting, because a person can remove the conflict. */
export async function assertApprovable(
  context: WorkContext,
  { jobId, runId, root, landing, changes }: RunDraft,
  workspace: Workspace,
): Promise<void> {
  if (landing !== undefined) {
    const { branch } = landing;
    await readLandingTip(context.workspace, root, branch).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'E_CONFLICT') throw error;
      const todo = 'Check out another branch there, or finish the rebase, then approve the run again.';
      throw stillWaiting(runId, error.message, { todo, details: error.details });
    });
    await refreshCheckout(context.workspace, { jobId, root, branch });
  }
  const { conflicts } = await workspace.drift(changes);
  if (conflicts.length === 0) return;
  const where = landing === undefined ? '' : ` on "${landing.branch}"`;
  throw stillWaiting(
    runId,
    `Conflict with another change; changed since the run${where}: ${conflicts.join(', ')}.`,
    {
      todo: `Undo or stash these changes and approve the run again, or send it back: deed work revise ${runId} --comment "…".`,
      details: { paths: [...conflicts] },
    },
  );
}

function stillWaiting(
  runId: string,
  message: string,
  { todo, details }: { readonly todo: string; readonly details: Fault['details'] },
): Fault {
  return new Fault('E_CONFLICT', `${message} Nothing was written, and the run still waits.`, {
    hint: todo,
    details: { ...details, run_id: runId },
  });
}
