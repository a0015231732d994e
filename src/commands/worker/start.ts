import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { openRunContext } from '../work/open-run-context.ts';
import { cloneParameter, labelsParameter, queueParameter } from './fleet-parameters.ts';

export default defineRead({
  path: 'worker start',
  summary: 'Run items of a queue on this host',
  description:
    'Takes items that "work run --on" put into the queue, runs each in a workspace of this host with its agents, limits, tests and receipts, and pushes the result to the remote of the clone. ' +
    'The work was confirmed where it was submitted; an integrator lands it. SIGTERM drains: what runs is finished, nothing else is taken',
  params: {
    queue: queueParameter,
    jobs: described(
      v.optional(v.pipe(int(), v.minValue(1), v.maxValue(WORK_LIMITS.jobs)), 1),
      'Maximum number of items that run in parallel on this host',
    ),
    labels: labelsParameter,
    max_running: described(
      v.optional(v.pipe(int(), v.minValue(1))),
      'Take an item only while fewer than this number run on all hosts; pass the same number on each',
    ),
    root: cloneParameter,
    allow_unsandboxed: described(
      v.optional(v.boolean(), false),
      'Run commands unsandboxed if this machine cannot confine them',
    ),
  },
  output: v.object({ worker_id: v.string(), handled: int() }),
  examples: ['worker start', 'worker start --queue build --jobs 4 --labels gpu,node'],
  errors: ['E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN', 'E_NOT_FOUND', 'E_VALIDATION', 'E_DAMAGED'],
  run: async ({ queue, jobs, labels = [], max_running: concurrency, root, allow_unsandboxed }, context) => {
    const work = await openRunContext({ allow_unsandboxed }, context);
    const { serve } = await import('../../app/fleet/serve.ts');
    return serve(context, work, { role: 'worker', queue, jobs, labels, concurrency, root });
  },
});
