import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { promoteStaged, stageDenial } from '../journal/use-stage.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { finishRun } from './finish-run.ts';
import { failureOf, testRun } from './judge-run.ts';
import type { RunDraft } from './run-draft.ts';
import { epochOf } from './run-environment.ts';
import { runFolder } from './run-folder.ts';
import { writeRunState } from './run-state.ts';
import { writeDocument } from './json-document.ts';
import type { RunResult } from './run-result.ts';

/** How a run came to its end; `overlap` when it may be tried again because only neighbours of its level were in the way. */
export type Settled =
  | { readonly kind: 'ended'; readonly draft: RunDraft; readonly result: RunResult }
  | { readonly kind: 'overlap'; readonly paths: readonly string[] };

/**
 * Brings an admitted run into the tree, whole or not at all. If somebody changed the same paths meanwhile nothing is written; if
 * they changed others, the work is put on the state as it is now and has to pass its tests again.
 */
export async function settleRun(
  ready: RunDraft,
  workspace: Workspace,
  context: WorkContext,
  neighbours: ReadonlySet<string> = new Set(),
): Promise<Settled> {
  let draft = ready;
  let overlap: readonly string[] | undefined;
  try {
    const { conflicts, others } = await workspace.drift(draft.changes);
    if (conflicts.length > 0) throw conflict(conflicts);
    if (others.length > 0) draft = await moveOn(draft, workspace, context, others);
    if (draft.status === 'success') {
      if (context.signal.aborted) throw new Fault('E_INTERRUPTED', 'Interrupted');
      draft = keepForReplay(draft, workspace);
      writeDocument(join(runFolder(context.home, draft.runId), 'draft.json'), draft);
      writeRunState(context.home, draft.runId, 'promoting');
      const { method, fallbacks } = await promoteStaged(context, workspace, draft);
      const told = [...new Set([...draft.workspace.fallbacks, ...fallbacks])];
      draft = { ...draft, workspace: { ...draft.workspace, method, fallbacks: told } };
    }
  } catch (error) {
    const paths = conflictPaths(error);
    const denied = stageDenial(error) ?? (paths === undefined ? failureOf(error) : conflicted(paths));
    draft = { ...draft, ...denied };
    if (paths !== undefined && paths.length > 0 && paths.every((path) => neighbours.has(path)))
      overlap = paths;
  }
  await workspace.discard();
  const result = await finishRun(context, draft);
  return overlap === undefined ? { kind: 'ended', draft, result } : { kind: 'overlap', paths: overlap };
}

/** Puts the work on the tree as it is now. What was true of it on another state must be shown again. */
async function moveOn(
  draft: RunDraft,
  workspace: Workspace,
  context: WorkContext,
  drift: readonly string[],
): Promise<RunDraft> {
  const base = await workspace.rebase();
  const moved: RunDraft = {
    ...draft,
    before: { hash: base.hash, head: base.head, branch: base.branch, indexHash: base.indexHash },
    afterHash: await workspace.hashAfter(draft.changes),
    workspace: { ...draft.workspace, drift: [...new Set([...draft.workspace.drift, ...drift])] },
  };
  return testRun(moved, { item: draft.item, workspace, context });
}

/** Keeps the contents of the state before, so that a replay can start from it. A run whose tree moved meanwhile cannot be replayed. */
function keepForReplay(draft: RunDraft, workspace: Workspace): RunDraft {
  if (!workspace.keepBase()) return draft;
  return { ...draft, replay: { snapshotId: workspace.base.id, sourceDateEpoch: epochOf(draft) } };
}

function conflict(paths: readonly string[]): Fault {
  return new Fault('E_CONFLICT', `Somebody else changed ${paths.join(', ')} meanwhile.`, {
    details: { paths: [...paths] },
  });
}

function conflictPaths(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Fault) || error.code !== 'E_CONFLICT') return undefined;
  const { paths } = error.details;
  return Array.isArray(paths) ? paths.map(String) : [];
}

function conflicted(paths: readonly string[]): Pick<RunDraft, 'status' | 'code' | 'denial'> {
  const what =
    paths.length === 0 ? 'another run took this tree over' : `changed meanwhile: ${paths.join(', ')}`;
  return {
    status: 'denied',
    code: 'E_CONFLICT',
    denial: {
      reason: 'shard_conflict',
      message: `Conflict with another change, nothing was written; ${what}`,
    },
  };
}
