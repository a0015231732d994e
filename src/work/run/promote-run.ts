import { Fault } from '../../base/fault.ts';
import { promoteWithJournal, stagedDenial } from '../journal/use-staged-journal.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { WorkContext } from '../work-context.ts';
import { refreshCheckout } from '../workspace/landing/open-checkout.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { finishRun } from './finish-run.ts';
import { failureOf, testRun } from './evaluate-run.ts';
import { storeUnpromotedChanges } from './store-unpromoted-changes.ts';
import type { RunDraft } from './run-draft.ts';
import { epochOf } from './run-environment.ts';
import { prepareLanding } from './apply-run.ts';
import { withPorts } from './with-ports.ts';
import { testEarlier } from './test-earlier.ts';
import { writeRunState } from './run-state.ts';
import { writeDraft } from './stored-draft.ts';
import type { RunResult } from './run-result.ts';

/** How a run ended; `overlap` if it conflicts only with other runs of its level and can be run again. */
export type RunPromotion =
  | { readonly kind: 'ended'; readonly draft: RunDraft; readonly result: RunResult }
  | { readonly kind: 'overlap'; readonly paths: readonly string[] };

export interface PromoteOptions {
  /** Paths that other runs of the level have changed. */
  readonly neighbours?: ReadonlySet<string>;
  /** Items of the job that were promoted before; their tests must still pass. */
  readonly earlier?: readonly WorkItem[];
}

/**
 * Promotes an admitted run, completely or not at all. If others changed the same paths since, nothing is written; if they changed
 * other paths, the changes are rebased onto the current state and tested again. The tests of earlier items must pass too.
 */
export async function promoteRun(
  ready: RunDraft,
  workspace: Workspace,
  context: WorkContext,
  options: PromoteOptions = {},
): Promise<RunPromotion> {
  return withPorts(context, ready, (draft) => promote(draft, workspace, context, options));
}

async function promote(
  ready: RunDraft,
  workspace: Workspace,
  context: WorkContext,
  { neighbours = new Set<string>(), earlier = [] }: PromoteOptions,
): Promise<RunPromotion> {
  let draft = ready;
  let overlap: readonly string[] | undefined;
  try {
    const { jobId, root, landing } = draft;
    // Others may have moved the branch, which is drift like any other.
    if (landing !== undefined && context.landsElsewhere === undefined)
      await refreshCheckout(context.workspace, { jobId, root, branch: landing.branch });
    const { conflicts, others } = await workspace.drift(draft.changes);
    if (conflicts.length > 0) throw conflict(conflicts);
    if (others.length > 0) draft = await rebaseRun(draft, workspace, context, others);
    if (draft.status === 'success') draft = await testEarlier(draft, workspace, context, earlier);
    if (draft.status === 'success') {
      if (context.signal.aborted) throw new Fault('E_INTERRUPTED', 'Interrupted');
      draft = await prepareLanding(context, await keepForReplay(draft, workspace), workspace);
      writeDraft(context.home, draft);
      const startedAt = new Date(context.clock.now()).toISOString();
      writeRunState(context.home, draft.runId, 'promoting', { step: 'promotion', started_at: startedAt });
      const { method, fallbacks } = await promoteWithJournal(context, workspace, draft);
      const allFallbacks = [...new Set([...draft.workspace.fallbacks, ...fallbacks])];
      draft = { ...draft, workspace: { ...draft.workspace, method, fallbacks: allFallbacks } };
    }
  } catch (error) {
    const paths = conflictPaths(error);
    const denied = stagedDenial(error) ?? (paths === undefined ? failureOf(error) : conflicted(paths, error));
    draft = { ...draft, ...denied };
    if (paths !== undefined && paths.length > 0 && paths.every((path) => neighbours.has(path)))
      overlap = paths;
  }
  if (draft.status !== 'success') await storeUnpromotedChanges(context, draft, workspace);
  await workspace.discard();
  const result = await finishRun(context, draft);
  return overlap === undefined ? { kind: 'ended', draft, result } : { kind: 'overlap', paths: overlap };
}

/** Rebases a run onto the current state of the tree and tests it again. */
async function rebaseRun(
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

/** Stores the contents of the base state for replays. If the tree changed during the run, the run cannot be replayed. */
async function keepForReplay(draft: RunDraft, workspace: Workspace): Promise<RunDraft> {
  if (!(await workspace.storeBase())) return draft;
  return { ...draft, replay: { snapshotId: workspace.base.id, sourceDateEpoch: epochOf(draft) } };
}

function conflict(paths: readonly string[]): Fault {
  return new Fault('E_CONFLICT', `Changed during the run: ${paths.join(', ')}.`, {
    details: { paths: [...paths] },
  });
}

function conflictPaths(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Fault) || error.code !== 'E_CONFLICT') return undefined;
  const { paths } = error.details;
  return Array.isArray(paths) ? paths.map(String) : [];
}

function conflicted(paths: readonly string[], error: unknown): Pick<RunDraft, 'status' | 'code' | 'denial'> {
  const what =
    paths.length > 0
      ? `changed during the run: ${paths.join(', ')}`
      : error instanceof Fault && error.details.branch !== undefined
        ? error.message
        : 'another run locked this tree';
  return {
    status: 'denied',
    code: 'E_CONFLICT',
    denial: {
      reason: 'shard_conflict',
      message: `Conflict with another change, nothing was written; ${what}`,
    },
  };
}
