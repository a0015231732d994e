import { AGENT_MARK } from '../base/agent-mark.ts';
import type { CommandContext } from '../contract/command.ts';
import { homeVariable } from '../contract/tool.ts';
import { startDetached } from '../system/start-detached.ts';

export interface ProgramStart {
  readonly cwd: string;
  readonly log: string;
  /** Who calls; the program must count as the same caller. */
  readonly agent: string | null;
}

/** The first two load code into a child. What outlives the agent that asked for it must not count as left behind by it. */
const LEFT_OUT: ReadonlySet<string> = new Set(['NODE_OPTIONS', 'BUN_OPTIONS', AGENT_MARK]);

/** Starts this program again with other arguments, as a process that outlives this one. */
export function startProgram(
  context: CommandContext,
  argv: readonly string[],
  start: ProgramStart,
): Promise<number> {
  const { system, tool, home } = context;
  const env = Object.fromEntries(
    Object.entries(system.env).flatMap(([name, value]) =>
      value === undefined || LEFT_OUT.has(name) ? [] : [[name, value]],
    ),
  );
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
