import type { WorkContext } from '../work-context.ts';
import type { WorkEvent } from './work-event.ts';

interface Told {
  readonly item: { readonly id: string };
  readonly jobId: string;
  readonly runId: string;
}

/** Says what a run is doing to whoever listens. */
export function tell(context: WorkContext, run: Told, type: WorkEvent['type'], message?: string): void {
  context.onEvent({
    type,
    at: new Date(context.clock.now()).toISOString(),
    job_id: run.jobId,
    item_id: run.item.id,
    run_id: run.runId,
    ...(message !== undefined && { message }),
  });
}
