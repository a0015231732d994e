import { createTool, type ToolIdentity } from '../../app/create-tool.ts';
import { STANDARD_COMMANDS } from '../../commands/table.ts';
import type { Command } from '../../contract/command.ts';
import { createTable, type CommandLoader } from '../../contract/command-table.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import { main } from './main.ts';

export type CliOptions = ToolIdentity & { readonly commands: readonly Command[] };

/** Runs a program of your own on this process's arguments, with the standard commands added to yours. */
export async function runCli({ commands, ...identity }: CliOptions): Promise<void> {
  const own = commands.map((command): [string, CommandLoader] => [
    command.path,
    async () => ({ default: command }),
  ]);
  const table = createTable({ ...Object.fromEntries(own), ...STANDARD_COMMANDS });
  await main({ tool: createTool(identity), table, dialect: deedDialect });
}
