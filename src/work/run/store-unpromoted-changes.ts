import { errorMessage } from '../../base/error-message.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { RunDraft } from './run-draft.ts';

/** Keeps the changes of a run that is not promoted, or not yet, so that a person can see them and send them back. */
export async function storeUnpromotedChanges(
  context: Pick<WorkContext, 'warn'>,
  { runId, changes }: Pick<RunDraft, 'runId' | 'changes'>,
  workspace: Pick<Workspace, 'storeChanges'>,
): Promise<void> {
  if (changes.length === 0) return;
  try {
    await workspace.storeChanges(changes);
  } catch (error) {
    // The disk may be full; the outcome of the run must be recorded anyway.
    const why = errorMessage(error);
    context.warn?.(`Cannot keep the changes of ${runId} for "work diff": ${why}`);
  }
}
