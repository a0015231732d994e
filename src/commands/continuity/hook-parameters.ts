import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import type { HookChange, HookHost, HookLocation } from '../../continuity/hooks/hook-files.ts';
import { versionOf, type Change } from '../../contract/plan.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';

export const HOOK_PARAMETERS = {
  claude: described(v.optional(v.boolean(), false), 'For Claude Code (default: both hosts)'),
  opencode: described(v.optional(v.boolean(), false), 'For OpenCode (default: both hosts)'),
  project: described(
    v.optional(v.boolean(), false),
    'Use the configuration of the current folder instead of the one in the home folder',
  ),
};

export type HookParameters = ParametersOf<typeof HOOK_PARAMETERS>;

export function hookHosts({ claude, opencode }: HookParameters): readonly HookHost[] {
  if (claude === opencode) return ['claude', 'opencode'];
  return claude ? ['claude'] : ['opencode'];
}

export function hookLocation(
  { project }: Pick<HookParameters, 'project'>,
  { system }: CommandContext,
): HookLocation {
  return { userHome: system.userHome, cwd: system.cwd, env: system.env, project };
}

/** A file in a preview; the token is bound to its content. */
export function hookChange(action: string, { host, path, before, after }: HookChange): Change {
  return {
    action: before === after ? 'none' : action,
    resource: 'hooks',
    id: path,
    after: { host },
    version: before === undefined ? null : versionOf(before),
  };
}
