import type { WorkContext } from '../work-context.ts';
import type { WorkEvent } from './work-event.ts';

interface RunIds {
  readonly item: { readonly id: string };
  readonly jobId: string;
  readonly runId: string;
}

/** Emits an event of a run. */
export function emitEvent(
  context: WorkContext,
  run: RunIds,
  type: WorkEvent['type'],
  message?: string,
): void {
  context.onEvent({
    type,
    at: new Date(context.clock.now()).toISOString(),
    job_id: run.jobId,
    item_id: run.item.id,
    run_id: run.runId,
    ...(message !== undefined && { message }),
  });
}
