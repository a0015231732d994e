import { journalWaiting } from '../journal/record-run-steps.ts';
import type { Attempt } from '../run/attempt-item.ts';
import { emitEvent } from '../run/emit-event.ts';
import { storeUnpromotedChanges } from '../run/store-unpromoted-changes.ts';
import { writeRunState } from '../run/run-state.ts';
import { writeDraft } from '../run/stored-draft.ts';
import type { WorkContext } from '../work-context.ts';

/** Keeps the workspace of a run until a person has decided. */
export async function waitForApproval({ draft, workspace }: Attempt, context: WorkContext): Promise<void> {
  writeDraft(context.home, draft);
  writeRunState(context.home, draft.runId, 'waiting');
  if (workspace !== undefined) await storeUnpromotedChanges(context, draft, workspace);
  workspace?.close();
  await journalWaiting(context, draft);
  emitEvent(context, draft, 'run.waiting');
}
