import { join } from 'node:path';
import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { Delta } from '../run/run-capsule.ts';
import { applyRun } from '../run/apply-run.ts';
import type { RunDraft } from '../run/run-draft.ts';
import type { WorkContext } from '../work-context.ts';
import type { Promotion, Workspace } from '../workspace/workspace.ts';
import type { StagedWrite } from './staged-write.ts';
import { hashWrite } from './describe-write.ts';
import { toRecordedRun } from './record-run-steps.ts';

/** Creates the private journal of a run. If that fails, the run continues without a journal. */
export async function openStagedJournal(
  context: WorkContext,
  workspace: Workspace,
  draft: RunDraft,
): Promise<Readonly<Record<string, string>>> {
  try {
    return (await context.stagedJournal?.open(toRecordedRun(draft), workspace)) ?? {};
  } catch (error) {
    const why = errorMessage(error);
    context.warn?.(`Run ${draft.runId} has no journal: ${why}`);
    return {};
  }
}

/** Reads the staged writes of a run. Invalid writes deny the run. */
export async function readStagedWrites(
  context: WorkContext,
  workspace: Workspace,
  draft: RunDraft,
): Promise<Partial<RunDraft>> {
  try {
    const startedAtMs = Date.parse(draft.startedAt);
    const staged = (await context.stagedJournal?.read(toRecordedRun(draft), workspace, startedAtMs)) ?? [];
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

/** Staged writes count as changes of the work itself. */
export function stagedDeltas(staged: readonly StagedWrite[] = []): readonly Delta[] {
  return staged.map((write, index) => {
    const hash = hashWrite(write);
    return { type: 'add', target: `journal:${index + 1}:${write.command}`, after: hash, hash };
  });
}

/** Promotes the changes of a run together with its staged writes. */
export function promoteWithJournal(
  context: WorkContext,
  workspace: Workspace,
  draft: RunDraft,
): Promise<Promotion> {
  const promote = (): Promise<Promotion> => applyRun(context, draft, workspace);
  const { staged = [] } = draft;
  if (staged.length === 0) return promote();
  if (context.stagedJournal === undefined)
    throw new Fault('E_CONFIG', 'The run has staged journal writes, but no journal is configured.');
  const files = draft.changes.flatMap(({ path, after }) =>
    after?.type === 'file'
      ? [{ path: join(draft.root, path), sizeBytes: after.size, blake3: after.hash }]
      : [],
  );
  return context.stagedJournal.commit({ ...toRecordedRun(draft), writes: staged, files }, promote);
}

/** The denial for staged writes that the store rejected; undefined for other errors. */
export function stagedDenial(error: unknown): Pick<RunDraft, 'status' | 'code' | 'denial'> | undefined {
  if (!(error instanceof Fault) || error.details.reason !== 'stage') return undefined;
  return {
    status: 'denied',
    code: 'E_CONFLICT',
    denial: { reason: 'shard_conflict', message: `${error.message} Nothing was written.` },
  };
}
