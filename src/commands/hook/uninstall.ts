import * as z from '../../base/schema/schema.ts';
import { applyHookChange, planUninstall } from '../../continuity/hooks/hook-files.ts';
import { defineWrite } from '../../contract/command.ts';
import { hookChange, hookHosts, HOOK_PARAMETERS, hookPlaces } from '../continuity/hook-parameters.ts';

export default defineWrite({
  path: 'hook uninstall',
  summary: 'Remove the hooks; entries of others stay as they are',
  params: HOOK_PARAMETERS,
  output: z.object({
    uninstalled: z.array(z.object({ host: z.string(), path: z.string(), changed: z.boolean() })),
    replayed: z.optional(z.literal(true)),
  }),
  examples: ['hook uninstall --claude --dry-run', 'hook uninstall --claude --confirm <token>'],
  errors: ['E_CONFLICT', 'E_CONFIG', 'E_FORBIDDEN'],
  plan: async (params, context) => ({
    changes: hookHosts(params).map((host) =>
      hookChange('uninstall', planUninstall(host, hookPlaces(params, context))),
    ),
  }),
  run: async (params, context) => ({
    uninstalled: hookHosts(params).map((host) => {
      const change = planUninstall(host, hookPlaces(params, context));
      applyHookChange(change);
      return { host, path: change.path, changed: change.before !== change.after };
    }),
  }),
});
