import { deedTool } from '../../app/deed-tool.ts';
import { updateNotices } from '../../app/update-notices.ts';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { createTable } from '../../contract/table.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import { main } from './main.ts';

/** Runs `deed` on this process. */
export function runDeed(): Promise<void> {
  return main({
    tool: {
      ...deedTool,
      serveMcp: async (request, context) => (await import('../mcp/serve-mcp.ts')).serveMcp(request, context),
    },
    table: createTable(DEED_COMMANDS),
    dialect: deedDialect,
    notices: (world) => updateNotices(deedTool, world),
  });
}
