import type { OutcomeEntry } from '../session/outcome-entry.ts';
import type { GateName } from './gate.ts';

const CODES: Readonly<Partial<Record<GateName, string>>> = {
  identity_valid: 'E_IDENTITY_MISMATCH',
  not_protected: 'E_PROTECTED',
  fdr_budget: 'E_BUDGET_EXHAUSTED',
};

/** Returns the error code of an action that a gate stopped. */
export function codeOfGate(gate: GateName | undefined): string {
  return gate === undefined ? 'E_GATE_FAILED' : (CODES[gate] ?? 'E_GATE_FAILED');
}

/** Whether the target of an action had exited before it. */
export function isGone({ outcome, gates }: OutcomeEntry): boolean {
  return (
    outcome === 'skipped' &&
    gates.some(({ gate, verdict }) => gate === 'identity_valid' && verdict === 'skip')
  );
}
