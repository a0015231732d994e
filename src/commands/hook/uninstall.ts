import * as v from 'valibot';
import { applyHookChange, planUninstall } from '../../continuity/hooks/hook-files.ts';
import { defineWrite } from '../../contract/command.ts';
import { hookChange, hookHosts, HOOK_PARAMETERS, hookLocation } from '../continuity/hook-parameters.ts';

export default defineWrite({
  path: 'hook uninstall',
  summary: 'Remove the hooks; other entries are not changed',
  params: HOOK_PARAMETERS,
  output: v.object({
    uninstalled: v.array(v.object({ host: v.string(), path: v.string(), changed: v.boolean() })),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['hook uninstall --claude --dry-run', 'hook uninstall --claude --confirm <token>'],
  errors: ['E_CONFLICT', 'E_CONFIG', 'E_FORBIDDEN'],
  plan: async (params, context) => ({
    changes: hookHosts(params).map((host) =>
      hookChange('uninstall', planUninstall(host, hookLocation(params, context))),
    ),
  }),
  run: async (params, context) => ({
    uninstalled: hookHosts(params).map((host) => {
      const change = planUninstall(host, hookLocation(params, context));
      applyHookChange(change);
      return { host, path: change.path, changed: change.before !== change.after };
    }),
  }),
});
