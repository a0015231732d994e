import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { applyHookChange, planInstall, type HookChange } from '../../continuity/hooks/hook-files.ts';
import { planOldPluginRemoval } from '../../continuity/hooks/old-opencode-files.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { vybeProgram } from '../../app/vybe-program.ts';
import {
  hookChange,
  hookHosts,
  HOOK_PARAMETERS,
  hookLocation,
  type HookParameters,
} from '../continuity/hook-parameters.ts';

export default defineWrite({
  path: 'hook install',
  summary: 'Install hooks for Claude Code and OpenCode that record sessions and resume work',
  params: HOOK_PARAMETERS,
  output: v.object({
    installed: v.array(v.object({ host: v.string(), path: v.string(), changed: v.boolean() })),
    cleaned: described(v.array(v.string()), 'Files from which entries of the Go program vybe were removed'),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['hook install --claude --dry-run', 'hook install --claude --confirm <token>'],
  errors: ['E_CONFLICT', 'E_CONFIG', 'E_FORBIDDEN'],
  plan: async (params, context) => ({
    changes: [
      ...hookHosts(params).map((host) =>
        hookChange('install', planInstall(host, hookLocation(params, context), vybeProgram(context.system))),
      ),
      ...planCleaning(params, context).map((change) => hookChange('remove', change)),
    ],
  }),
  run: async (params, context) => ({
    installed: hookHosts(params).map((host) => {
      const change = planInstall(host, hookLocation(params, context), vybeProgram(context.system));
      applyHookChange(change);
      return { host, path: change.path, changed: change.before !== change.after };
    }),
    cleaned: planCleaning(params, context).map((change) => {
      applyHookChange(change);
      return change.path;
    }),
  }),
});

/** In the settings of Claude Code, the install itself replaces the hooks of the Go program. */
function planCleaning(params: HookParameters, context: CommandContext): HookChange[] {
  return hookHosts(params).includes('opencode') ? planOldPluginRemoval(hookLocation(params, context)) : [];
}
