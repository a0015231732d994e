import { AGENT_MARK } from '../base/agent-mark.ts';
import type { CommandContext } from '../contract/command.ts';
import { homeVariable } from '../contract/tool.ts';
import { inheritEnvironment } from '../system/child-environment.ts';
import { startDetached } from '../system/start-detached.ts';

export interface ProgramStart {
  readonly cwd: string;
  readonly log: string;
  /** Who calls; the program must count as the same caller. */
  readonly agent: string | null;
}

/** Starts this program again with other arguments, as a process that outlives this one. */
export function startOwnProgram(
  context: CommandContext,
  argv: readonly string[],
  start: ProgramStart,
): Promise<number> {
  const { system, tool, home } = context;
  // What outlives the agent that asked for it must not count as left behind by it.
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
