import { createTool, type ToolIdentity } from '../../app/create-tool.ts';
import type { Command } from '../../contract/command.ts';
import type { Checker } from '../../contract/health-check.ts';
import { loadZodConverter } from '../../contract/zod-mini.ts';
import { deedDialect } from '../../dialects/deed/dialect.ts';
import { main } from './main.ts';
import { createProgramTable } from './program-table.ts';

export type CliOptions = ToolIdentity & {
  readonly commands: readonly Command[];
  /** Additional checks of `doctor`, by name. */
  readonly checks?: Readonly<Record<string, Checker>>;
};

/** Runs your program with this process's arguments; the standard commands are added to yours. */
export async function runCli({ commands, checks, ...identity }: CliOptions): Promise<void> {
  await loadZodConverter();
  const table = createProgramTable(commands, checks);
  await main({ tool: createTool(identity), table, dialect: deedDialect });
}
