import { SESSION_VARIABLE } from '../../contract/caller.ts';
import type { CommandContext } from '../../contract/command.ts';
import { inheritEnvironment } from '../../system/child-environment.ts';
import { PROGRAM_VARIABLE } from '../../system/program-variable.ts';
import { startChild } from '../../system/start-child.ts';
import { FINISHED, type WatchedLoop } from './watch-loop.ts';
import { WATCH_ENTRY } from './watch-entry.ts';

/**
 * Starts a process that outlives this one: if this process is killed before `end` is called, the watch kills the agents of the loop and
 * returns its tasks. The kernel closes the pipe between them in any case.
 */
export async function startLoopWatch(
  { system, home }: Pick<CommandContext, 'system' | 'home'>,
  { session, agent, database }: WatchedLoop,
): Promise<{ readonly end: () => Promise<void> }> {
  const { [SESSION_VARIABLE]: _, ...env } = inheritEnvironment(system.env);
  const argv = [...system.executable.command, WATCH_ENTRY, session, agent, database];
  const {
    process: watch,
    started,
    exited,
  } = startChild(argv, {
    cwd: home.path,
    env: { ...env, [PROGRAM_VARIABLE]: 'deed' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await started;
  return {
    end: async () => {
      watch.stdin?.end(FINISHED);
      await exited;
    },
  };
}
