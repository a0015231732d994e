import { canonicalJson } from '../../base/json.ts';
import type { BuiltinAgent, BuiltinIdentity } from '../../work/executors/executor.ts';
import type { AgentCommandContext } from '../agent/agent-dependencies.ts';
import type { LoadedAgent } from './load-agent.ts';

/**
 * Gives work items an agent of ours. What its files say is read once: those who agreed to a plan agreed to that, and an earlier item of
 * the plan must not rewrite a later one's agent. The runtime is loaded when the first such agent is met.
 */
export function createBuiltinAgent(joint: AgentCommandContext): {
  readonly builtin: BuiltinAgent;
  readonly builtinIdentity: BuiltinIdentity;
} {
  const loaded = new Map<string, Promise<LoadedAgent>>();
  const load = (options: Readonly<Record<string, unknown>>, root: string): Promise<LoadedAgent> => {
    const key = canonicalJson([options, root]);
    const known =
      loaded.get(key) ?? import('./load-agent.ts').then(({ loadAgent }) => loadAgent(options, root, joint));
    loaded.set(key, known);
    return known;
  };
  return {
    builtinIdentity: async (options, root) => (await load(options, root)).identity,
    builtin: (options, recording) => ({
      toolSource: 'calls of the workspace tools by the built-in agent',
      run: async (assignment) => {
        try {
          const { replayItemAgent, runItemAgent } = await import('./run-item-agent.ts');
          return await (recording === undefined
            ? runItemAgent(await load(options, assignment.workspace.base.root), assignment, joint)
            : replayItemAgent(recording, assignment, joint));
        } catch (error) {
          // Whoever stopped it knows why.
          if (assignment.signal.aborted) return { error: 'it was stopped before it began' };
          throw error;
        }
      },
    }),
  };
}
