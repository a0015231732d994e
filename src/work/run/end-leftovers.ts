import type { WorkContext } from '../work-context.ts';
import type { RunDraft } from './run-draft.ts';

/** Makes sure that nothing of a run goes on, and notes in its draft what had to be ended for that. */
export async function endLeftovers(context: WorkContext, draft: RunDraft): Promise<RunDraft> {
  if (context.endLeftovers === undefined) return draft;
  const left = await context.endLeftovers(draft.runId);
  return { ...draft, leftovers: [...(draft.leftovers ?? []), ...left] };
}
