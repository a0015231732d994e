import type { CommandContext } from '../contract/context.ts';
import { homeVariable } from '../contract/tool.ts';
import { startDetached } from '../system/start-detached.ts';

export interface ProgramStart {
  readonly cwd: string;
  readonly log: string;
  /** Who calls; the program must count as the same caller. */
  readonly agent: string | null;
}

/** Starts this program again with other arguments, as a process that outlives this one. */
export function startProgram(
  context: CommandContext,
  argv: readonly string[],
  start: ProgramStart,
): Promise<number> {
  const { world, tool, home } = context;
  const env = Object.fromEntries(
    Object.entries(world.env).flatMap(([name, value]) =>
      value === undefined || name === 'NODE_OPTIONS' || name === 'BUN_OPTIONS' ? [] : [[name, value]],
    ),
  );
  return startDetached([...world.executable.command, ...argv], {
    cwd: start.cwd,
    env: {
      ...env,
      [homeVariable(tool)]: home.path,
      ...(start.agent !== null && { DEED_AGENT: start.agent }),
    },
    log: start.log,
  });
}
