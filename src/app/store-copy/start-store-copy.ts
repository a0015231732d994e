import type { CommandContext } from '../../contract/command.ts';
import { homeVariable } from '../../contract/tool.ts';
import { AGENT_MARK } from '../../base/agent-mark.ts';
import { inheritEnvironment } from '../../system/child-environment.ts';
import { deedTool } from '../deed-tool.ts';
import { PROGRAM_VARIABLE } from '../../system/program-variable.ts';
import { startChild } from '../../system/start-child.ts';
import { COPY_ENTRY } from './store-copy-entry.ts';

/** Starts a process that copies the store of the home, and outlives this one. If it cannot be started, no copy is made. */
export function startStoreCopy({ system, home }: Pick<CommandContext, 'system' | 'home'>): void {
  // A process that is meant to outlive the agent must not count as a leftover of it.
  const { [AGENT_MARK]: _, ...env } = inheritEnvironment(system.env);
  const argv = [...system.executable.command, COPY_ENTRY];
  const { process: copy } = startChild(argv, {
    cwd: home.path,
    env: { ...env, [PROGRAM_VARIABLE]: 'deed', [homeVariable(deedTool)]: home.path },
    stdio: 'ignore',
  });
  copy.unref();
}
