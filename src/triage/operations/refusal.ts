import { Fault } from '../../base/fault.ts';
import { stops, type GateName } from '../gates/gate.ts';
import { presentResults, summarizeResults } from '../present/present-results.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';

/**
 * A run in which everything was refused is a failure of its caller's wish, and says by its code which gate it failed at. A run that did
 * something, had nothing to do, or found its targets gone is none.
 */
export function refusalOf(entries: readonly OutcomeEntry[]): Fault | undefined {
  const wanted = entries.filter((entry) => !isGone(entry));
  if (wanted.length === 0 || wanted.some(({ outcome }) => outcome === 'success')) return undefined;
  const [first] = wanted;
  const details = { results: presentResults(entries), summary: summarizeResults(entries) };
  if (first?.outcome === 'failed') {
    if (first.escalation === undefined) return undefined;
    return new Fault('E_FORBIDDEN', first.reason, { hint: first.escalation, details });
  }
  const gate = first?.gates.find(stops)?.gate;
  const code = gate === undefined ? 'E_GATE_FAILED' : (CODES[gate] ?? 'E_GATE_FAILED');
  return new Fault(code, `No action passed its gates. ${first?.reason ?? ''}`, {
    hint: HINTS[code] ?? 'See the results for the reasons.',
    details: { ...details, ...(gate !== undefined && { gate }) },
  });
}

function isGone({ outcome, gates }: OutcomeEntry): boolean {
  return (
    outcome === 'skipped' &&
    gates.some(({ gate, verdict }) => gate === 'identity_valid' && verdict === 'skip')
  );
}

const CODES: Readonly<Partial<Record<GateName, string>>> = {
  identity_valid: 'E_IDENTITY_MISMATCH',
  not_protected: 'E_PROTECTED',
  fdr_budget: 'E_BUDGET_EXHAUSTED',
};

const HINTS: Readonly<Record<string, string>> = {
  E_IDENTITY_MISMATCH: 'Make a fresh plan.',
  E_PROTECTED: 'Protected processes are never acted on.',
  E_BUDGET_EXHAUSTED:
    'Wait: the budget grows back with the next day. Or raise --max-kills, if that was the limit.',
  E_GATE_FAILED: 'Loosen the limits that were given, or let a person decide.',
};
