import { TOOL_ENTRY } from '../../app/agent-executor/tool-entry.ts';
import { deedTool } from '../../app/deed-tool.ts';
import { updateNotices } from '../../app/update-notices.ts';
import type { ServeMcp } from '../../commands/mcp/serve.ts';
import { DEED_COMMANDS } from '../../commands/table.ts';
import type { Command } from '../../contract/command.ts';
import { createTable } from '../../contract/command-table.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import type { EarlySignals } from './early-signals.ts';
import { main } from './main.ts';

/** Runs `deed` on this process; or, when it was started by itself inside a sandbox, the tools of a workspace. */
export async function runDeed(signals: EarlySignals): Promise<void> {
  const [entry, ...rest] = process.argv.slice(2);
  if (entry === TOOL_ENTRY) {
    // They end as soon as they are told to; there is no answer to give.
    signals.release();
    return (await import('../workspace-tools/main.ts')).runWorkspaceTools(rest);
  }
  return main({
    signals,
    tool: deedTool,
    table: createTable({ ...DEED_COMMANDS, 'mcp serve': loadMcpServe }),
    dialect: deedDialect,
    notices: (system) => updateNotices(deedTool, system),
  });
}

/** The commands cannot start a server themselves, so `mcp serve` gets it from here. */
async function loadMcpServe(): Promise<{ readonly default: Command }> {
  const { defineMcpServe } = await import('../../commands/mcp/serve.ts');
  const serve: ServeMcp = async (request, context) =>
    (await import('../mcp/serve-mcp.ts')).serveMcp(request, context);
  return { default: defineMcpServe(serve) };
}
