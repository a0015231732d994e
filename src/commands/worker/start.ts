import * as v from 'valibot';
import { described, int, number } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { openRunContext } from '../work/open-run-context.ts';
import { cloneParameter, labelsParameter, queueParameter } from './fleet-parameters.ts';

export default defineRead({
  path: 'worker start',
  summary: 'Run items of a queue on this host',
  description:
    'Takes items that "work run --on" put into the queue, runs each in a workspace of this host with its agents, limits, tests and receipts, and pushes the result to the remote of the clone. ' +
    'The work was confirmed where it was submitted; an integrator lands it. On SIGTERM it drains: it finishes the items that run and takes no others',
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
    max_cost_usd: described(
      v.optional(v.pipe(number(), v.gtValue(0))),
      'Take an item only while the runs of the queue cost less than this many dollars today (UTC), on all hosts; pass the same number on each',
    ),
    root: cloneParameter,
    allow_unsandboxed: described(
      v.optional(v.boolean(), false),
      'Run commands unsandboxed if this machine cannot confine them',
    ),
  },
  output: v.object({ worker_id: v.string(), handled: int() }),
  examples: [
    'worker start',
    'worker start --queue build --jobs 4 --labels gpu,node',
    'worker start --queue build --max-running 20 --max-cost-usd 50',
  ],
  errors: ['E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN', 'E_NOT_FOUND', 'E_VALIDATION', 'E_DAMAGED'],
  run: async ({ queue, jobs, labels = [], root, allow_unsandboxed, ...limits }, context) => {
    const work = await openRunContext({ allow_unsandboxed }, context);
    const { serve } = await import('../../app/fleet/serve.ts');
    const { max_running: concurrency, max_cost_usd: costUsdPerDay } = limits;
    return serve(context, work, { role: 'worker', queue, jobs, labels, concurrency, costUsdPerDay, root });
  },
});
