import { Fault } from '../../base/fault.ts';
import type { AgentConfig } from './agent-config.ts';
import { claudeProgram, codexProgram, commandProgram } from './agent-programs.ts';
import { programExecutor } from './command-executor.ts';
import type { BuiltinAgent, Executor } from './executor.ts';

/** Creates the executor for a configured agent. */
export function chooseExecutor(
  config: AgentConfig,
  builtin: BuiltinAgent | undefined,
  recording?: string,
): Executor {
  switch (config.kind) {
    case 'command':
      return programExecutor(commandProgram(config.argv));
    case 'claude':
      return programExecutor(claudeProgram(config));
    case 'codex':
      return programExecutor(codexProgram(config));
    case 'builtin':
      if (builtin !== undefined) return builtin(config.options ?? {}, recording);
      throw new Fault('E_CONFIG', 'This program has no built-in agent.', {
        hint: 'Configure the agent as a command, claude or codex.',
        details: { setting: 'work.agents', field: 'kind' },
      });
  }
}
