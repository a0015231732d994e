import type { WorkContext } from '../work-context.ts';
import type { RunDraft } from './run-draft.ts';

/** Terminates leftover processes of a run and records them in its draft. */
export async function endLeftovers(context: WorkContext, draft: RunDraft): Promise<RunDraft> {
  if (context.endLeftovers === undefined) return draft;
  const left = await context.endLeftovers(draft.runId);
  return { ...draft, leftovers: [...(draft.leftovers ?? []), ...left] };
}
