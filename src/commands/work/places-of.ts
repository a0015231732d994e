import * as v from 'valibot';
import { withQueue } from '../../app/fleet/with-queue.ts';
import { Fault } from '../../base/fault.ts';
import { int } from '../../base/schema.ts';
import type { CommandContext } from '../../contract/command.ts';
import { readFleetStates } from '../../work/plan/fleet-states.ts';
import type { Job } from '../../work/plan/job.ts';
import { STEP, STEP_TIMES } from './work-schemas.ts';
import { hostOf, listLive, type LiveItem } from './find-run-elsewhere.ts';

/** Where an item of a queue runs or ran. */
export const PLACE = {
  host: v.string(),
  worker_id: v.string(),
  attempt: int(),
  since: v.string(),
  step: STEP,
  steps: STEP_TIMES,
  last_line: v.nullable(v.string()),
};

type Place = v.InferOutput<v.ObjectSchema<typeof PLACE, undefined>>;

interface ItemPlace {
  readonly place: Place;
  /** The run that its worker announces; the ref of the item has it when the run is delivered. */
  readonly runId?: string | undefined;
}

/** Reads where the items of a job are; empty for a job of this host. */
export async function placesOf(job: Job, context: CommandContext): Promise<ReadonlyMap<string, ItemPlace>> {
  if (job.fleet === undefined) return new Map();
  const states = Object.entries(readFleetStates(context.home.path, job.id));
  const isRunning = states.some(([, { step }]) => step === 'claimed');
  const live = isRunning ? await readLive(job.id, context) : [];
  return new Map(
    states.map(([itemId, { by, attempt, at = job.createdAt }]) => {
      const now = live.find((item) => item.itemId === itemId && item.attempt === attempt);
      const place = { host: hostOf(by), worker_id: by, attempt, since: at, last_line: null };
      return [
        itemId,
        now === undefined ? { place } : { place: describeLive(now), runId: now.runId },
      ] as const;
    }),
  );
}

/** If the database cannot be read, the refs of the items still name the hosts that have them. */
async function readLive(jobId: string, context: CommandContext): Promise<readonly LiveItem[]> {
  try {
    const all = await withQueue(context, listLive);
    return all.filter((item) => item.jobId === jobId);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    context.warn(`The last lines are not known: ${error.message}`);
    return [];
  }
}

export function describeLive({ worker, attempt, since, steps = [], lines }: LiveItem): Place {
  return {
    host: worker.host,
    worker_id: worker.id,
    attempt,
    since,
    ...(steps.length > 0 && { step: steps.at(-1)?.step, steps: [...steps] }),
    last_line: lines.at(-1)?.text ?? null,
  };
}
