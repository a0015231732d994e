import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineWrite } from '../../contract/command.ts';
import { withQueue } from '../../app/fleet/with-queue.ts';
import type { WorkQueue } from '../../work/fleet/work-queue.ts';

export default defineWrite({
  path: 'worker drain',
  summary: 'Ask a worker to finish what it runs and exit',
  params: {
    worker: described(v.pipe(v.string(), v.minLength(1)), 'The id of the worker, as shown by "worker list"'),
  },
  positionals: ['worker'],
  output: v.object({
    worker_id: v.string(),
    running: v.array(v.string()),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['worker drain build-1-3f9c22ab --dry-run', 'worker drain build-1-3f9c22ab --confirm <token>'],
  errors: ['E_NOT_FOUND', 'E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN'],
  plan: async ({ worker: id }, context) => {
    const { running, startedAt } = await withQueue(context, (queue) => requireWorker(queue, id));
    return {
      changes: [
        { action: 'drain', resource: 'worker', id, before: { running: [...running] }, version: startedAt },
      ],
    };
  },
  run: async ({ worker: id }, context) =>
    withQueue(context, async (queue) => {
      const { running } = await requireWorker(queue, id);
      await queue.askToDrain(id);
      return { worker_id: id, running: [...running] };
    }),
});

async function requireWorker(queue: WorkQueue, id: string) {
  const worker = (await queue.workers()).find((each) => each.id === id);
  if (worker !== undefined) return worker;
  throw new Fault('E_NOT_FOUND', `Worker not found: ${id}.`, {
    hint: '"deed worker list" lists the workers of all hosts.',
    details: { field: 'worker', worker_id: id },
  });
}
