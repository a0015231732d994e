import type { WorkWorld } from '../work-world.ts';
import type { WorkEvent } from './work-event.ts';

interface Told {
  readonly item: { readonly id: string };
  readonly jobId: string;
  readonly runId: string;
}

/** Says what a run is doing to whoever listens. */
export function tell(world: WorkWorld, run: Told, type: WorkEvent['type'], message?: string): void {
  world.onEvent({
    type,
    at: new Date(world.clock.now()).toISOString(),
    job_id: run.jobId,
    item_id: run.item.id,
    run_id: run.runId,
    ...(message !== undefined && { message }),
  });
}
