import type { AgentConfig } from '../executors/agent-config.ts';
import { signInPaths } from '../executors/sign-in-paths.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { WorkContext } from '../work-context.ts';
import { assertHidesState } from '../workspace/exposes-state.ts';
import type { SandboxPolicy } from '../workspace/workspace.ts';
import { ownProgramPaths } from './own-program-paths.ts';
import { programPaths } from './program-paths.ts';
import { expandPaths } from './run-environment.ts';

/** Determines what the commands of an item may read, write and reach in a tree. */
export function policyOf(
  item: WorkItem,
  agent: AgentConfig,
  context: Pick<WorkContext, 'workspace' | 'program' | 'env'>,
  root: string,
): SandboxPolicy {
  const home = context.workspace.accountHome;
  const paths: { readonly write_paths?: readonly string[]; readonly read_paths?: readonly string[] } =
    agent.kind === 'builtin' ? {} : agent;
  const [writePaths, own] = [expandPaths(paths.write_paths, home), expandPaths(paths.read_paths, home)];
  assertHidesState(context.workspace, [...writePaths, ...own]);
  return {
    network: item.network ?? true,
    writePaths,
    // The tools of the built-in agent are this program; every other agent may call it to write to the journal.
    readPaths: [
      ...own,
      ...programPaths(agent, context),
      ...signInPaths(agent, context),
      ...ownProgramPaths(context, root),
    ],
  };
}
