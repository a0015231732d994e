import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { sleep } from '../../base/sleep.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { endLeftovers } from '../run/end-leftovers.ts';
import { finishRun } from '../run/finish-run.ts';
import { landingState } from '../run/apply-run.ts';
import { recoverRollback } from '../run/rollback-run.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { listOpen } from '../run/open-runs.ts';
import { runFolder } from '../run/run-folder.ts';
import { clearRunState, readRunState } from '../run/run-state.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { readDraft } from '../run/stored-draft.ts';
import type { WorkContext } from '../work-context.ts';
import { promotionState } from '../workspace/read-promotion.ts';
import { recover } from '../workspace/promote-changes.ts';
import { reopenWorkspace } from '../workspace/open-workspace.ts';
import { rollbackName } from '../workspace/rollback-promotion.ts';
import { hasWorkspace, workspaceFolder } from '../workspace/workspace-record.ts';

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
export async function recoverRuns(
  context: WorkContext,
  runIds: readonly string[] = listOpen(context.home),
): Promise<readonly RecoveredRun[]> {
  const abandoned = runIds.flatMap(
    (runId) => unlessDamaged(context, () => readAbandoned(context, runId)) ?? [],
  );
  const warnDamage = (fault: Fault): void => warn(context, fault);
  const found = await recover(context.workspace, warnDamage);
  const leftAlone = (name: string): readonly string[] =>
    found.find(({ runId }) => runId === name)?.leftAlone ?? [];
  const recovered: RecoveredRun[] = [];
  for (const draft of abandoned) {
    const { runId, root, rollsBack } = draft;
    if (rollsBack !== undefined) {
      const outcome = (await recoverRollback(context, draft)) ? 'finished' : 'undone';
      recovered.push({
        run_id: runId,
        outcome,
        root,
        left_alone: leftAlone(rollbackName(rollsBack.runId)),
      });
      continue;
    }
    const promotion =
      draft.landing === undefined
        ? promotionState(context.workspace, runId)
        : await landingState(context, draft);
    // Its promotion log is damaged, so it is unknown whether the tree has the changes.
    if (promotion === 'open') continue;
    if (!(await discardWorkspace(context, runId))) continue;
    const cleared = await endLeftovers(context, draft);
    const committed = promotion === 'committed';
    await finishRun(context, committed ? withNote(cleared) : interrupted(cleared));
    const outcome = committed ? 'finished' : 'undone';
    recovered.push({ run_id: runId, outcome, root, left_alone: leftAlone(runId) });
  }
  return recovered;
}

/** The draft of a run whose process exited early; undefined for other runs. Stored results are not abandoned, unless they are lost. */
function readAbandoned({ home, workspace }: WorkContext, runId: string): RunDraft | undefined {
  const state = readRunState(home, runId);
  if (state === undefined) clearEnded(home, runId);
  if (state === undefined || state.status === 'waiting' || isOwnerAlive(state.owner)) return undefined;
  return state.status === 'ready' && hasWorkspace(workspace, runId) ? undefined : readDraft(home, runId);
}

/** One damaged run must not stop the recovery of the others. */
function unlessDamaged<T>(context: WorkContext, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    warn(context, error);
    return undefined;
  }
}

function warn(context: WorkContext, fault: Fault): void {
  context.warn?.(`${fault.message} ${fault.hint ?? ''}`.trim());
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
    error: `The process of this run exited before the run ended; the ${draft.landing === undefined ? 'tree' : 'branch'} is unchanged.`,
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
      if (isDamaged(error)) {
        removeFolder(workspaceFolder(context.workspace, runId));
        return true;
      }
      if (error.details.reason !== 'held') throw error;
    }
    await sleep(PAUSE_MS);
  }
  return false;
}
