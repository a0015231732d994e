import { AGENT_MARK } from '../base/agent-mark.ts';
import type { CommandContext } from '../contract/command.ts';
import { homeVariable } from '../contract/tool.ts';
import { inheritEnvironment } from '../system/child-environment.ts';
import { startDetached } from '../system/start-detached.ts';

export interface ProgramStart {
  readonly cwd: string;
  readonly log: string;
  /** The calling agent; the program runs as the same caller. */
  readonly agent: string | null;
}

/** Starts this program with other arguments, as a process that outlives this one. */
export function startOwnProgram(
  context: CommandContext,
  argv: readonly string[],
  start: ProgramStart,
): Promise<number> {
  const { system, tool, home } = context;
  // A process that is meant to outlive the agent must not count as a leftover of it.
  const { [AGENT_MARK]: _, ...env } = inheritEnvironment(system.env);
  return startDetached([...system.executable.command, ...argv], {
    cwd: start.cwd,
    env: {
      ...env,
      [homeVariable(tool)]: home.path,
      ...(start.agent !== null && { DEED_AGENT: start.agent }),
    },
    log: start.log,
  });
}
