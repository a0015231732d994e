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

/** How recovery ended a run whose process exited early. */
export interface RecoveredRun {
  readonly run_id: string;
  /** `finished`: its changes were in the tree and it now has its receipt. `undone`: the tree is in the state before the run. */
  readonly outcome: 'finished' | 'undone';
  readonly root: string;
  /** Paths that were changed by others since and were not restored. */
  readonly left_alone: readonly string[];
}

/**
 * Recovers interrupted runs: finishes or rolls back each open promotion, writes the receipt that states the outcome, and deletes the
 * workspace. Runs that wait for approval, or whose process is alive, are skipped.
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
    await finishRun(context, committed ? withNote(cleared) : interrupted(cleared));
    recovered.push({
      run_id: runId,
      outcome: committed ? 'finished' : 'undone',
      root: draft.root,
      left_alone: journals.get(runId)?.leftAlone ?? [],
    });
  }
  return recovered;
}

/** Clears the state of a run whose process was killed after it issued the receipt. */
function clearEnded(home: string, runId: string): void {
  const folder = runFolder(home, runId);
  const isEnded = existsSync(join(folder, 'RECEIPT.json')) && !existsSync(join(folder, 'draft.json'));
  if (isEnded) clearRunState(home, runId);
}

function withNote(draft: RunDraft): RunDraft {
  const note = 'The process ended during the promotion; recovery found it complete and wrote this receipt.';
  return { ...draft, workspace: { ...draft.workspace, fallbacks: [...draft.workspace.fallbacks, note] } };
}

function interrupted(draft: RunDraft): RunDraft {
  return {
    ...draft,
    status: 'failure',
    code: 'E_INTERRUPTED',
    error: 'The process of this run exited before the run ended; the tree is unchanged.',
  };
}

const PAUSE_MS = 50;
const MAX_TRIES_HELD = 40;

/**
 * Deletes the workspace of a run, if it has one. Its last processes may need a moment to exit. If another process is recovering the
 * run at the same time, the run is left to it. Returns whether the caller should end the run.
 */
async function discardWorkspace(context: WorkContext, runId: string): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES_HELD; tries += 1) {
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
