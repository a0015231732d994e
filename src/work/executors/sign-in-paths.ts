import { join } from 'node:path';
import type { WorkContext } from '../work-context.ts';
import type { AgentConfig } from './agent-config.ts';

/** The sign-in of the agents that deed starts by itself; nothing else of their folders is readable in a run. */
export function signInPaths(
  { kind }: Pick<AgentConfig, 'kind'>,
  { env, workspace }: Pick<WorkContext, 'env' | 'workspace'>,
): readonly string[] {
  const at = (variable: string, folder: string): string =>
    env[variable] || join(workspace.accountHome, folder);
  if (kind === 'claude') return [join(at('CLAUDE_CONFIG_DIR', '.claude'), '.credentials.json')];
  if (kind === 'codex') return [join(at('CODEX_HOME', '.codex'), 'auth.json')];
  return [];
}
