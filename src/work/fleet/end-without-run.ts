import type { WorkItem } from '../item/work-item.ts';
import { draftOf } from '../run/attempt-item.ts';
import { finishRun } from '../run/finish-run.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { newWorkId } from '../run/run-folder.ts';
import { writeRunState } from '../run/run-state.ts';
import { writeDraft } from '../run/stored-draft.ts';
import { releaseCheckout, startAt } from '../workspace/landing/kept-checkout.ts';
import { openCheckout, removeCheckout } from '../workspace/landing/open-checkout.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';
import { takeTreeSnapshot } from '../workspace/take-snapshot.ts';
import type { Fleet } from './fleet.ts';
import { withFleetJournal } from './fleet-journal.ts';
import { FLEET_BRANCH } from './item-branch.ts';
import { readProof, type CloneRun } from './run-in-clone.ts';

/** Ends an item whose agent is not started, or not again, with a receipt that says why. */
export async function endWithoutRun(
  fleet: Fleet,
  { item, jobId, base }: { readonly item: WorkItem; readonly jobId: string; readonly base: string },
  why: Pick<RunDraft, 'status' | 'code' | 'error' | 'denial'>,
): Promise<CloneRun> {
  const { work, remote } = fleet;
  const runId = newWorkId(work.home, 'run', work.clock.now());
  const branch = `${FLEET_BRANCH}${jobId}/${runId}`;
  try {
    const userTree = await resolveTree(work.workspace, remote.root);
    const start = startAt(base);
    const tree = await openCheckout(work.workspace, { jobId: runId, userTree, branch, start });
    const { snapshot } = await takeTreeSnapshot(work.workspace, tree);
    const options = { jobId: runId, runId, snapshot, tree, reruns: 0 };
    const draft: RunDraft = { ...draftOf(item, options, work.clock.now()), ...why };
    writeRunState(work.home, runId, 'running');
    writeDraft(work.home, draft);
    const context = withFleetJournal(work, { local: runId, fleet: jobId }, () => undefined);
    const result = await finishRun(context, draft);
    releaseCheckout(work.workspace, { jobId: runId, userTree, state: snapshot.hash });
    return {
      run_id: runId,
      root: remote.root,
      result,
      proof: readProof(work.home, runId),
      ...(why.code !== undefined && { code: why.code }),
    };
  } finally {
    removeCheckout(work.workspace, runId);
  }
}
