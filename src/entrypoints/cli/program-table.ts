import type { ServeMcp } from '../../commands/mcp/serve.ts';
import { STANDARD_COMMANDS } from '../../commands/standard-commands.ts';
import type { Command, CommandTable } from '../../contract/command.ts';
import { createTable, type CommandLoader } from '../../contract/command-table.ts';
import type { Checker } from '../../contract/health-check.ts';

/** The commands of a program on the library: its own, the standard ones, and a server for MCP clients. */
export function createProgramTable(
  commands: readonly Command[],
  checks?: Readonly<Record<string, Checker>>,
): CommandTable {
  const own = commands.map((command): [string, CommandLoader] => [
    command.path,
    async () => ({ default: command }),
  ]);
  return createTable({
    ...Object.fromEntries(own),
    ...STANDARD_COMMANDS,
    'mcp serve': () => loadMcpServe(commands),
    ...(checks && { doctor: () => loadDoctor(checks) }),
  });
}

/** The server is loaded when it is started: plain calls do not need its libraries. */
async function loadMcpServe(commands: readonly Command[]): Promise<{ readonly default: Command }> {
  const { defineMcpServe } = await import('../../commands/mcp/serve.ts');
  const serve: ServeMcp = async (request, context) => {
    const { serveMcp } = await import('../mcp/serve-mcp.ts');
    const { createProgramOffer } = await import('../mcp/program-offer.ts');
    return serveMcp(request, context, createProgramOffer(context.tool, commands));
  };
  return { default: defineMcpServe(serve, '') };
}

async function loadDoctor(checks: Readonly<Record<string, Checker>>): Promise<{ readonly default: Command }> {
  const { defineDoctor } = await import('../../commands/doctor/define-doctor.ts');
  return { default: defineDoctor(checks) };
}
