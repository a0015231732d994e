import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { openRunContext } from '../work/open-run-context.ts';
import { cloneParameter, queueParameter } from '../worker/fleet-parameters.ts';

export default defineRead({
  path: 'integrator start',
  summary: 'Land the results of a queue on their branch',
  description:
    'Takes results of trusted workers ("receipt trust") in order, and moves the branch, the ref of the item and the signed ledger of promotions in one step. A result whose base is no longer the tip of the branch is merged and tested first; ' +
    'an item whose result conflicts or fails its tests runs again once. Several integrators can run at the same time. On SIGTERM it finishes the result that it has taken, and exits',
  params: {
    queue: queueParameter,
    root: cloneParameter,
    keys: described(
      v.optional(v.pipe(v.string(), v.minLength(1))),
      'A folder with the keyring of trusted workers and integrators, instead of the keyring of the home',
    ),
    allow_unsandboxed: described(
      v.optional(v.boolean(), false),
      'Run commands unsandboxed if this machine cannot confine them',
    ),
  },
  output: v.object({ worker_id: v.string(), handled: int() }),
  examples: ['integrator start', 'integrator start --queue build --keys /etc/deed/keyring'],
  errors: ['E_CONFIG', 'E_NETWORK', 'E_AUTH', 'E_FORBIDDEN', 'E_NOT_FOUND', 'E_VALIDATION', 'E_DAMAGED'],
  run: async ({ queue, root, keys, allow_unsandboxed }, context) => {
    const work = await openRunContext({ allow_unsandboxed }, context);
    const { serve } = await import('../../app/fleet/serve.ts');
    // One at a time: each result is merged onto the one before.
    return serve(context, work, { role: 'integrator', queue, jobs: 1, labels: [], root, keys });
  },
});
