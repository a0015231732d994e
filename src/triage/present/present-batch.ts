import { stops } from '../gates/gate.ts';
import type { PlannedAction } from '../plan-document.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import type { ApplyBody } from '../triage-results.ts';
import { codeOfGate, isGone } from '../gates/gate-code.ts';
import { presentResults, summarizeResults } from './present-results.ts';

/** The results of an apply as a batch. A target is `pid:start_id`. */
export type BatchBody = {
  readonly items: readonly BatchItem[];
  readonly summary: ApplyBody['summary'] & { readonly succeeded: number };
  /** The targets that were not attempted. */
  readonly skipped?: readonly string[];
  readonly results: ApplyBody['results'];
};

export type BatchItem = {
  readonly target: string;
  readonly ok: boolean;
  readonly action: string;
  /** The kernel adds whether the code is retryable. */
  readonly error?: { readonly code: string; readonly message: string };
};

/** Converts outcomes to the items of a batch. In its summary `failed` counts every item that is not ok, and `skipped` the targets that were not attempted. */
export function presentBatch(entries: readonly OutcomeEntry[], pending: readonly PlannedAction[]): BatchBody {
  const items = entries.map(presentItem);
  const skipped = pending.map(({ target }) => keyOf(target));
  const succeeded = items.filter(({ ok }) => ok).length;
  return {
    items,
    summary: {
      ...summarizeResults(entries),
      succeeded,
      failed: items.length - succeeded,
      skipped: skipped.length,
    },
    ...(skipped.length > 0 && { skipped }),
    results: presentResults(entries),
  };
}

function presentItem(entry: OutcomeEntry): BatchItem {
  const { target, action, reason } = entry;
  const item = { target: keyOf(target), ok: entry.outcome === 'success', action };
  return item.ok ? item : { ...item, error: { code: codeOf(entry), message: reason } };
}

/** A process that has exited is not found. An action without effect is a conflict: the process is not in the expected state, so the caller must plan again. */
function codeOf(entry: OutcomeEntry): string {
  if (isGone(entry)) return 'E_NOT_FOUND';
  if (entry.outcome === 'failed' || entry.outcome === null)
    return entry.escalation === undefined ? 'E_CONFLICT' : 'E_FORBIDDEN';
  return codeOfGate(entry.gates.find(stops)?.gate);
}

function keyOf({ pid, start_id }: { readonly pid: number; readonly start_id: string }): string {
  return `${pid}:${start_id}`;
}
