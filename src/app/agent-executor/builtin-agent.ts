import { canonicalJson } from '../../base/json.ts';
import type { BuiltinAgent, BuiltinIdentity } from '../../work/executors/executor.ts';
import type { AgentCommandContext } from '../agent/agent-dependencies.ts';
import type { LoadedAgent } from './load-agent.ts';

/**
 * Creates the built-in agent executor for work items. Agent files are read once, because the user confirmed their content with the plan,
 * and an earlier item must not rewrite the agent of a later one. The agent runtime is loaded on first use.
 */
export function createBuiltinAgent(context: AgentCommandContext): {
  readonly builtin: BuiltinAgent;
  readonly builtinIdentity: BuiltinIdentity;
} {
  const loaded = new Map<string, Promise<LoadedAgent>>();
  const load = (options: Readonly<Record<string, unknown>>, root: string): Promise<LoadedAgent> => {
    const key = canonicalJson([options, root]);
    const known =
      loaded.get(key) ?? import('./load-agent.ts').then(({ loadAgent }) => loadAgent(options, root, context));
    loaded.set(key, known);
    return known;
  };
  return {
    builtinIdentity: async (options, root) => (await load(options, root)).identity,
    builtin: (options, recording) => ({
      toolSource: 'workspace tool calls of the built-in agent',
      run: async (assignment) => {
        try {
          const { replayItemAgent, runItemAgent } = await import('./run-item-agent.ts');
          return await (recording === undefined
            ? runItemAgent(await load(options, assignment.workspace.base.root), assignment, context)
            : replayItemAgent(recording, assignment, context));
        } catch (error) {
          // The caller that aborted the run knows the reason.
          if (assignment.signal.aborted) return { error: 'it was stopped before it started' };
          throw error;
        }
      },
    }),
  };
}
