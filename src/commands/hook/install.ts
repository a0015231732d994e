import * as v from 'valibot';
import { applyHookChange, planInstall } from '../../continuity/hooks/hook-files.ts';
import { defineWrite } from '../../contract/command.ts';
import { vybeProgram } from '../../app/vybe-program.ts';
import { hookChange, hookHosts, HOOK_PARAMETERS, hookLocation } from '../continuity/hook-parameters.ts';

export default defineWrite({
  path: 'hook install',
  summary: 'Install hooks for Claude Code and OpenCode that record sessions and resume work',
  params: HOOK_PARAMETERS,
  output: v.object({
    installed: v.array(v.object({ host: v.string(), path: v.string(), changed: v.boolean() })),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['hook install --claude --dry-run', 'hook install --claude --confirm <token>'],
  errors: ['E_CONFLICT', 'E_CONFIG', 'E_FORBIDDEN'],
  plan: async (params, context) => ({
    changes: hookHosts(params).map((host) =>
      hookChange('install', planInstall(host, hookLocation(params, context), vybeProgram(context.system))),
    ),
  }),
  run: async (params, context) => ({
    installed: hookHosts(params).map((host) => {
      const change = planInstall(host, hookLocation(params, context), vybeProgram(context.system));
      applyHookChange(change);
      return { host, path: change.path, changed: change.before !== change.after };
    }),
  }),
});
