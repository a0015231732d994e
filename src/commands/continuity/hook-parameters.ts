import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { sha256 } from '../../base/digest.ts';
import type { HookChange, HookHost, HookPlaces } from '../../continuity/hooks/hook-files.ts';
import type { Change } from '../../contract/plan.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';

export const HOOK_PARAMETERS = {
  claude: described(v.optional(v.boolean(), false), 'For Claude Code (both when none is named)'),
  opencode: described(v.optional(v.boolean(), false), 'For OpenCode (both when none is named)'),
  project: described(v.optional(v.boolean(), false), 'In this folder’s configuration instead of the user’s'),
};

type HookParameters = ParametersOf<typeof HOOK_PARAMETERS>;

export function hookHosts({ claude, opencode }: HookParameters): readonly HookHost[] {
  if (claude === opencode) return ['claude', 'opencode'];
  return claude ? ['claude'] : ['opencode'];
}

export function hookPlaces(
  { project }: Pick<HookParameters, 'project'>,
  { system }: CommandContext,
): HookPlaces {
  return { userHome: system.userHome, cwd: system.cwd, env: system.env, project };
}

/** One file as previews show it; the token rests on its bytes. */
export function hookChange(action: string, { host, path, before, after }: HookChange): Change {
  return {
    action: before === after ? 'none' : action,
    resource: 'hooks',
    id: path,
    after: { host },
    version: before === undefined ? null : sha256(before),
  };
}
