import { deedTool } from '../../app/deed-tool.ts';
import { AGENT_COMMANDS } from '../../commands/table.ts';
import { createTable } from '../../contract/command-table.ts';
import { aiAgentDialect } from '../../dialects/ai-agent/dialect.ts';
import type { EarlySignals } from './early-signals.ts';
import { main } from './main.ts';

/** Runs `ai-agent` in this process. */
export function runAiAgent(signals: EarlySignals): Promise<void> {
  return main({ signals, tool: deedTool, table: createTable(AGENT_COMMANDS), dialect: aiAgentDialect });
}
