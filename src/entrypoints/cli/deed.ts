import { TOOL_ENTRY } from '../../app/agent-executor/tool-entry.ts';
import { createDeedTool } from '../../app/deed-tool.ts';
import { updateNotices } from '../../app/update-notices.ts';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { createTable } from '../../contract/command-table.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import { main } from './main.ts';

/** Runs `deed` on this process; or, when it was started by itself inside a sandbox, the tools of a workspace. */
export async function runDeed(): Promise<void> {
  const [entry, ...rest] = process.argv.slice(2);
  if (entry === TOOL_ENTRY) return (await import('../workspace-tools/main.ts')).runWorkspaceTools(rest);
  const tool = createDeedTool({
    serveMcp: async (request, context) => (await import('../mcp/serve-mcp.ts')).serveMcp(request, context),
  });
  return main({
    tool,
    table: createTable(DEED_COMMANDS),
    dialect: deedDialect,
    notices: (system) => updateNotices(tool, system),
  });
}
