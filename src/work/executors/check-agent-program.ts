import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { WorkContext } from '../work-context.ts';
import type { AgentConfig } from './agent-config.ts';
import { locateProgram, programName } from './program-files.ts';
import { SIGN_IN_VARIABLES, signInPaths } from './sign-in-paths.ts';

/** What can be seen of an agent before it runs. */
export interface ProgramCheck {
  /** The path of the program, or its name if it is in the tree, where a run may create it. */
  readonly program: string;
  /** Undefined for a program whose sign-in deed does not know. */
  readonly signedIn?: boolean;
}

type CheckContext = Pick<WorkContext, 'env' | 'workspace'>;

const INSTALL: Partial<Readonly<Record<AgentConfig['kind'], string>>> = {
  claude: 'npm install -g @anthropic-ai/claude-code',
  codex: 'npm install -g @openai/codex',
};

/** Checks that the program of an agent exists, and looks for its sign-in. A missing program is E_CONFIG. Undefined for a built-in agent. */
export function checkAgentProgram(
  agentId: string,
  agent: AgentConfig,
  context: CheckContext,
): ProgramCheck | undefined {
  const name = programName(agent);
  if (name === undefined) return undefined;
  const program = locateProgram(name, context.env.PATH ?? '');
  if (program === undefined) throw missing(agentId, name, agent.kind);
  if (agent.kind === 'command') return { program };
  return { program, signedIn: isSignedIn(agent, context) };
}

/** Whether there is a key in the environment, or a file of its sign-in. Another way is not visible from here. */
function isSignedIn(agent: AgentConfig, context: CheckContext): boolean {
  return (
    (SIGN_IN_VARIABLES[agent.kind] ?? []).some((name) => Boolean(context.env[name])) ||
    signInPaths(agent, context).some((path) => existsSync(path))
  );
}

function missing(agentId: string, name: string, kind: AgentConfig['kind']): Fault {
  const install = INSTALL[kind];
  const path = isAbsolute(name) ? 'does not exist or cannot be executed' : 'is not in any folder of PATH';
  return new Fault('E_CONFIG', `The program of agent "${agentId}" ${path}: ${name}.`, {
    hint: install
      ? `Install it (${install}), or set argv of the agent in work.agents to its path.`
      : 'Set argv of the agent in work.agents to a program that exists.',
    details: { setting: 'work.agents', agent: agentId, program: name },
  });
}
