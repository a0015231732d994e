import { deedTool } from '../../app/deed-tool.ts';
import { VYBE_TABLE } from '../../commands/table.ts';
import { createTable } from '../../contract/command-table.ts';
import { vybeDialect } from '../../dialects/vybe/dialect.ts';
import type { EarlySignals } from './early-signals.ts';
import { main } from './main.ts';

/** Runs `vybe` in this process. */
export function runVybe(signals: EarlySignals): Promise<void> {
  return main({ signals, tool: deedTool, table: createTable(VYBE_TABLE), dialect: vybeDialect });
}
