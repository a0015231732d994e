import type { WorkWorld } from '../work-world.ts';
import type { RunDraft } from './run-draft.ts';

/** A process of a run that was still there when the run, or its tests, were over. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** False when it could not be ended. */
  readonly ended: boolean;
}

/** Makes sure that nothing of a run goes on, and notes in its draft what had to be ended for that. */
export async function endLeftovers(world: WorkWorld, draft: RunDraft): Promise<RunDraft> {
  if (world.endLeftovers === undefined) return draft;
  const left = await world.endLeftovers(draft.runId);
  return { ...draft, leftovers: [...(draft.leftovers ?? []), ...left] };
}
