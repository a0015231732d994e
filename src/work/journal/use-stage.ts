import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { sha256 } from '../../base/digest.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Delta } from '../run/run-capsule.ts';
import type { RunDraft } from '../run/run-draft.ts';
import type { WorkContext } from '../work-context.ts';
import type { Promotion, Workspace } from '../workspace/workspace.ts';
import type { StagedWrite } from './staged-write.ts';
import { noteOf } from './tell-journal.ts';

/** Gives a run a journal of its own. Where that cannot be, it works without one. */
export async function openStage(
  context: WorkContext,
  workspace: Workspace,
  draft: RunDraft,
): Promise<Readonly<Record<string, string>>> {
  try {
    return (await context.stage?.open(noteOf(draft), workspace)) ?? {};
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.warn?.(`The agent of ${draft.runId} has no journal: ${why}`);
    return {};
  }
}

/** Takes what the agent staged out of its reach. What nobody can have written honestly denies the run. */
export async function takeStaged(
  context: WorkContext,
  workspace: Workspace,
  { startedAt }: RunDraft,
): Promise<Partial<RunDraft>> {
  try {
    const staged = (await context.stage?.read(workspace, Date.parse(startedAt))) ?? [];
    return staged.length === 0 ? {} : { staged };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'E_DENIED') throw error;
    return {
      status: 'denied',
      code: 'E_DENIED',
      denial: { reason: 'invariant_violated', message: error.message },
    };
  }
}

/** Staged writes are changes like any other, of the work itself. */
export function stagedDeltas(staged: readonly StagedWrite[] = []): readonly Delta[] {
  return staged.map((write, index) => {
    const hash = sha256(canonicalJson(write));
    return { type: 'add', target: `journal:${index + 1}:${write.command}`, after: hash, hash };
  });
}

/** Promotes a run's changes, together with what it staged. */
export function promoteStaged(
  context: WorkContext,
  workspace: Workspace,
  draft: RunDraft,
): Promise<Promotion> {
  const promote = (): Promise<Promotion> => workspace.promote(draft.changes);
  const { staged = [] } = draft;
  if (staged.length === 0) return promote();
  if (context.stage === undefined)
    throw new Fault('E_CONFIG', 'There is no journal for what the agent wrote down.');
  const files = draft.changes.flatMap(({ path, after }) =>
    after?.type === 'file'
      ? [{ path: join(draft.root, path), sizeBytes: after.size, blake3: after.hash }]
      : [],
  );
  return context.stage.commit({ ...noteOf(draft), writes: staged, files }, promote);
}

/** What kept staged writes out of the store, as the run's denial; nothing when it was something else. */
export function stageDenial(error: unknown): Pick<RunDraft, 'status' | 'code' | 'denial'> | undefined {
  if (!(error instanceof Fault) || error.details.reason !== 'stage') return undefined;
  return {
    status: 'denied',
    code: 'E_CONFLICT',
    denial: { reason: 'shard_conflict', message: `${error.message} Nothing was written.` },
  };
}
