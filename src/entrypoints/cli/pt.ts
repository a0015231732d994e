import { deedTool } from '../../app/deed-tool.ts';
import { PT_COMMANDS } from '../../commands/table.ts';
import { createTable } from '../../contract/command-table.ts';
import { ptDialect } from '../../dialects/pt/dialect.ts';
import type { EarlySignals } from './early-signals.ts';
import { main } from './main.ts';

/** Runs `pt` in this process. */
export function runPt(signals: EarlySignals): Promise<void> {
  return main({ signals, tool: deedTool, table: createTable(PT_COMMANDS), dialect: ptDialect });
}
