import type { OutcomeEntry } from '../session/outcome-entry.ts';
import type { ActionResult, ApplySummary } from '../triage-results.ts';

/** Converts outcomes to results; a stopped action names its gate. */
export function presentResults(entries: readonly OutcomeEntry[]): readonly ActionResult[] {
  return entries.map((entry) => {
    const stopped = entry.gates.find(
      ({ verdict }) => verdict === 'skip' || verdict === 'block' || verdict === 'abort',
    );
    const warnings = entry.gates.filter(({ verdict }) => verdict === 'warn');
    return {
      target: { pid: entry.target.pid, start_id: entry.target.start_id },
      action: entry.action,
      outcome: entry.outcome ?? 'failed',
      reason: entry.reason,
      duration_ms: entry.durationMs,
      ...(stopped !== undefined && { gate: stopped.gate }),
      ...(warnings.length > 0 && { warnings: warnings.map(({ reason }) => reason) }),
      ...(entry.members !== undefined && { tree_size: entry.members.length }),
      ...(entry.throttle && { method: entry.throttle.method, reversible: entry.throttle.reversible }),
      ...(entry.escalation !== undefined && { escalation: entry.escalation }),
    };
  });
}

/** Counts results; the freed memory is what the killed trees used right before. */
export function summarizeResults(entries: readonly OutcomeEntry[]): ApplySummary {
  const count = (...outcomes: readonly OutcomeEntry['outcome'][]): number =>
    entries.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const freed = entries
    .filter(({ action, outcome }) => action === 'kill' && outcome === 'success')
    .flatMap(({ members }) => members ?? [])
    .reduce((total, { memoryBytes }) => total + (memoryBytes ?? 0), 0);
  return {
    total: entries.length,
    successful: count('success'),
    skipped: count('skipped'),
    blocked: count('blocked'),
    failed: count('failed', null),
    memory_freed_mb: toMegabytes(freed),
  };
}

export function toMegabytes(bytes: number): number {
  return Math.round((bytes / (1024 * 1024)) * 100) / 100;
}
