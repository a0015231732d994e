import { join } from 'node:path';
import type { WorkContext } from '../work-context.ts';
import type { AgentConfig } from './agent-config.ts';

/** The sign-in files of the agents that deed has built-in commands for; nothing else in their folders is readable in a run. */
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

/** Variables with a sign-in of these agents, any one of which is enough. */
export const SIGN_IN_VARIABLES: Partial<Readonly<Record<AgentConfig['kind'], readonly string[]>>> = {
  claude: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  codex: ['CODEX_API_KEY'],
};

/** Variables with the address of a service that these sign-ins are for. */
const ADDRESS_VARIABLES: Partial<Readonly<Record<AgentConfig['kind'], readonly string[]>>> = {
  claude: ['ANTHROPIC_BASE_URL'],
};

/** The sign-in of an agent in the environment of the caller; its program gets it, the tests of the item do not. */
export function signInEnvironment(
  { kind }: Pick<AgentConfig, 'kind'>,
  env: WorkContext['env'],
): Readonly<Record<string, string>> {
  const names = [...(SIGN_IN_VARIABLES[kind] ?? []), ...(ADDRESS_VARIABLES[kind] ?? [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value ? [[name, value]] : [];
    }),
  );
}
