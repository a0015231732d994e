import { Fault } from '../../base/fault.ts';

/**
 * The states of a triage session. A snapshot creates it; the plan is computed once; the caller of apply approves it; actions are executed
 * in order and recorded. If apply stops early, the session is interrupted and can be resumed. After all actions it is completed, and
 * verified once the outcomes were measured. Further applies and verifies change nothing.
 */
export const SESSION_STATES = [
  'created',
  'planned',
  'approved',
  'executing',
  'interrupted',
  'completed',
  'verified',
] as const;

export type TriageSessionState = (typeof SESSION_STATES)[number];

const NEXT: Readonly<Record<TriageSessionState, readonly TriageSessionState[]>> = {
  created: ['planned'],
  planned: ['approved'],
  // Apply stopped before the first action, or was called again with other limits.
  approved: ['executing', 'approved'],
  // A killed process leaves this state; the next process with the lock continues.
  executing: ['executing', 'interrupted', 'completed'],
  interrupted: ['executing'],
  // Actions that a gate stopped may be tried again; completed actions are not repeated.
  completed: ['verified', 'executing'],
  verified: ['verified', 'executing'],
};

/** Returns the new state, or throws for an invalid transition. */
export function nextState(
  sessionId: string,
  from: TriageSessionState,
  to: TriageSessionState,
): TriageSessionState {
  if (NEXT[from].includes(to)) return to;
  throw new Fault('E_CONFLICT', `Triage session ${sessionId} is ${from} and cannot become ${to}.`, {
    hint: 'Check it with the status command.',
    details: { session_id: sessionId, state: from, wanted: to },
  });
}

export type SessionPhase = 'snapshot' | 'plan' | 'apply' | 'verify';

/** Returns the phase of a state. */
export function phaseOf(state: TriageSessionState): SessionPhase {
  if (state === 'created') return 'snapshot';
  if (state === 'planned') return 'plan';
  return state === 'verified' ? 'verify' : 'apply';
}
