import type { FinalReport } from '../agent-result.ts';

/** Renders a report as text for printing or for a calling agent. */
export function renderReport(report: FinalReport): string {
  if (report.content !== undefined) return report.content;
  return JSON.stringify(report.content_json ?? report.messages ?? null, undefined, 2);
}
