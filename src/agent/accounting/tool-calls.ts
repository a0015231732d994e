import type { AccountingEntry } from '../accounting-entry.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import { BATCH } from '../tools/batch-definition.ts';
import { PROGRESS_REPORT } from '../tools/internal-host.ts';

const INTERNAL: ReadonlySet<string> = new Set([FINAL_REPORT, `${FINAL_REPORT}_xml`, PROGRESS_REPORT, BATCH]);

/** Returns whether every session has a tool with this name. A batch is counted by its inner calls. */
export function isInternalTool(name: string): boolean {
  return INTERNAL.has(name);
}

/** Counts the executed tool calls of a session and its sub-agents. */
export function countToolCalls(accounting: readonly AccountingEntry[]): number {
  return accounting.filter((entry) => entry.type === 'tool' && !isInternalTool(entry.command)).length;
}
