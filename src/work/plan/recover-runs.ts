import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { endLeftovers } from '../run/end-leftovers.ts';
import { finishRun } from '../run/finish-run.ts';
import { recoverRollback } from '../run/rollback-run.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { listIds, runFolder } from '../run/run-folder.ts';
import { clearRunState, readRunState } from '../run/run-state.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { readDocument } from '../run/json-document.ts';
import type { WorkContext } from '../work-context.ts';
import { promotionState } from '../workspace/read-promotion.ts';
import { recover } from '../workspace/promote-changes.ts';
import { reopenWorkspace } from '../workspace/open-workspace.ts';
import { rollbackName } from '../workspace/rollback-promotion.ts';

/** What became of a run whose process died. */
export interface RecoveredRun {
  readonly run_id: string;
  /** `finished`: its work was in the tree and now has its receipt. `undone`: the tree is as it was before. */
  readonly outcome: 'finished' | 'undone';
  readonly root: string;
  /** Paths that somebody else changed since and that were left alone. */
  readonly left_alone: readonly string[];
}

/**
 * Brings what dead processes left behind to an end: an open promotion is finished or taken back, its run gets the receipt that
 * tells which, and its workspace goes. Runs that wait for a person, or whose process lives, are left alone.
 */
export async function recoverRuns(context: WorkContext): Promise<readonly RecoveredRun[]> {
  const abandoned = listIds(context.home, 'run').filter((runId) => {
    const state = readRunState(context.home, runId);
    if (state === undefined) clearEnded(context.home, runId);
    return state !== undefined && state.status !== 'waiting' && !isOwnerAlive(state.owner);
  });
  const journals = new Map((await recover(context.workspace)).map((found) => [found.runId, found]));
  const recovered: RecoveredRun[] = [];
  for (const runId of abandoned) {
    const draft = readDocument<RunDraft>(join(runFolder(context.home, runId), 'draft.json'));
    if (draft === undefined) continue;
    if (draft.rollsBack !== undefined) {
      recovered.push({
        run_id: runId,
        outcome: (await recoverRollback(context, draft)) ? 'finished' : 'undone',
        root: draft.root,
        left_alone: journals.get(rollbackName(draft.rollsBack.runId))?.leftAlone ?? [],
      });
      continue;
    }
    const committed = promotionState(context.workspace, runId) === 'committed';
    if (!(await discardWorkspace(context, runId))) continue;
    const cleared = await endLeftovers(context, draft);
    await finishRun(context, committed ? withNote(cleared) : broken(cleared));
    recovered.push({
      run_id: runId,
      outcome: committed ? 'finished' : 'undone',
      root: draft.root,
      left_alone: journals.get(runId)?.leftAlone ?? [],
    });
  }
  return recovered;
}

/** A process that was killed while it cleared up after a run leaves a state that says nothing any more. */
function clearEnded(home: string, runId: string): void {
  const folder = runFolder(home, runId);
  const isEnded = existsSync(join(folder, 'RECEIPT.json')) && !existsSync(join(folder, 'draft.json'));
  if (isEnded) clearRunState(home, runId);
}

function withNote(draft: RunDraft): RunDraft {
  const note = 'The process ended during the promotion; recovery found it complete and wrote this receipt.';
  return { ...draft, workspace: { ...draft.workspace, fallbacks: [...draft.workspace.fallbacks, note] } };
}

function broken(draft: RunDraft): RunDraft {
  return {
    ...draft,
    status: 'failure',
    code: 'E_INTERRUPTED',
    error: 'The process that drove this run ended before it did; the tree is as it was before.',
  };
}

const PAUSE_MS = 50;
const HELD_TRIES = 40;

/**
 * Removes what a run left. It may have died before it had a workspace; its last processes may need a moment to be gone; and
 * another process may be recovering it right now, which is then left to it. Tells whether the run is ours to end.
 */
async function discardWorkspace(context: WorkContext, runId: string): Promise<boolean> {
  for (let tries = 0; tries < HELD_TRIES; tries += 1) {
    try {
      await (await reopenWorkspace(context.workspace, runId)).discard();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === 'E_NOT_FOUND') return true;
      if (error.details.reason !== 'held') throw error;
    }
    await sleep(PAUSE_MS);
  }
  return false;
}
