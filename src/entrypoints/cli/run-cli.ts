import { createTool, type ToolIdentity } from '../../app/create-tool.ts';
import type { ServeMcp } from '../../commands/mcp/serve.ts';
import { STANDARD_COMMANDS } from '../../commands/standard-commands.ts';
import type { Command } from '../../contract/command.ts';
import { createTable, type CommandLoader } from '../../contract/command-table.ts';
import type { Checker } from '../../contract/health-check.ts';
import { loadZodConverter } from '../../contract/zod-mini.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import { main } from './main.ts';

export type CliOptions = ToolIdentity & {
  readonly commands: readonly Command[];
  /** Additional checks of `doctor`, by name. */
  readonly checks?: Readonly<Record<string, Checker>>;
};

/** Runs your program with this process's arguments; the standard commands are added to yours. */
export async function runCli({ commands, checks, ...identity }: CliOptions): Promise<void> {
  await loadZodConverter();
  const own = commands.map((command): [string, CommandLoader] => [
    command.path,
    async () => ({ default: command }),
  ]);
  const table = createTable({
    ...Object.fromEntries(own),
    ...STANDARD_COMMANDS,
    'mcp serve': () => loadMcpServe(commands),
    ...(checks && { doctor: () => loadDoctor(checks) }),
  });
  await main({ tool: createTool(identity), table, dialect: deedDialect });
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
