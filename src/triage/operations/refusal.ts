import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { codeOfGate, isGone } from '../gates/gate-code.ts';
import { stops } from '../gates/gate.ts';
import { presentResults, summarizeResults } from '../present/present-results.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';

/**
 * Returns a fault if all actions failed or were stopped by a gate; its code depends on the gate. An apply that succeeded with at least
 * one action, had no actions, or found all targets exited is not a failure.
 */
export function refusalOf(entries: readonly OutcomeEntry[]): Fault | undefined {
  const existing = entries.filter((entry) => !isGone(entry));
  if (existing.length === 0 || existing.some(({ outcome }) => outcome === 'success')) return undefined;
  const [first] = existing;
  const details = { results: presentResults(entries), summary: summarizeResults(entries) };
  if (first?.outcome === 'failed') {
    if (first.escalation === undefined) return undefined;
    return new Fault('E_FORBIDDEN', first.reason, { hint: first.escalation, details });
  }
  const gate = first?.gates.find(stops)?.gate;
  const code = codeOfGate(gate);
  return new Fault(code, `No action passed the gates. ${first?.reason ?? ''}`, {
    hint: ownMember(HINTS, code) ?? 'See the results for the reasons.',
    details: { ...details, ...(gate !== undefined && { gate }) },
  });
}

const HINTS: Readonly<Record<string, string>> = {
  E_IDENTITY_MISMATCH: 'Create a new plan.',
  E_PROTECTED: 'Protected processes are never acted on.',
  E_BUDGET_EXHAUSTED:
    'Wait until the budget is refilled, within 24 hours. If --max-kills was the limit, raise it.',
  E_GATE_FAILED: 'Relax the limits, or let a person decide.',
};
