import { Fault } from '../../base/fault.ts';
import type { AgentConfig } from './agent-config.ts';
import { claudeExecutor, codexExecutor, commandExecutor } from './command-executor.ts';
import type { BuiltinAgent, Executor } from './executor.ts';

/** Creates the executor for a configured agent. */
export function chooseExecutor(
  config: AgentConfig,
  builtin: BuiltinAgent | undefined,
  recording?: string,
): Executor {
  switch (config.kind) {
    case 'command':
      return commandExecutor(config.argv);
    case 'claude':
      return claudeExecutor(config.argv);
    case 'codex':
      return codexExecutor(config.argv);
    case 'builtin':
      if (builtin !== undefined) return builtin(config.options ?? {}, recording);
      throw new Fault('E_CONFIG', 'This program has no built-in agent.', {
        hint: 'Configure the agent as a command, claude or codex.',
        details: { setting: 'work.agents', field: 'kind' },
      });
  }
}
