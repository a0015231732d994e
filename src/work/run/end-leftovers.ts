import type { WorkContext } from '../work-context.ts';
import type { RunDraft } from './run-draft.ts';

/** A process of a run that was still there when the run, or its tests, were over. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** False when it could not be ended. */
  readonly ended: boolean;
}

/** Makes sure that nothing of a run goes on, and notes in its draft what had to be ended for that. */
export async function endLeftovers(context: WorkContext, draft: RunDraft): Promise<RunDraft> {
  if (context.endLeftovers === undefined) return draft;
  const left = await context.endLeftovers(draft.runId);
  return { ...draft, leftovers: [...(draft.leftovers ?? []), ...left] };
}
