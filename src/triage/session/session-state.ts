import { Fault } from '../../base/fault.ts';

/**
 * The life of a session. A snapshot creates it; a plan is computed once; approval is given by the caller of apply; actions are
 * executed one after the other, each on record. What stops in the middle is interrupted and can go on. When all actions have ended it
 * is completed, and verified once the outcomes were measured. Measuring again, or applying again, changes nothing more.
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

export type SessionState = (typeof SESSION_STATES)[number];

const NEXT: Readonly<Record<SessionState, readonly SessionState[]>> = {
  created: ['planned'],
  planned: ['approved'],
  // Approved and then stopped before the first action, or taken up again with other limits.
  approved: ['executing', 'approved'],
  // A process that was killed leaves this state behind; whoever holds the lock may take over.
  executing: ['executing', 'interrupted', 'completed'],
  interrupted: ['executing'],
  // What a gate refused may be tried again; what was done is not.
  completed: ['verified', 'executing'],
  verified: ['verified', 'executing'],
};

/** Moves a session on, or refuses a step that its life does not have. */
export function nextState(sessionId: string, from: SessionState, to: SessionState): SessionState {
  if (NEXT[from].includes(to)) return to;
  throw new Fault('E_CONFLICT', `Session ${sessionId} is ${from} and cannot become ${to}.`, {
    hint: 'See its status for what can be done with it.',
    details: { session_id: sessionId, state: from, wanted: to },
  });
}

export type SessionPhase = 'snapshot' | 'plan' | 'apply' | 'verify';

/** Which command a session waits for or is in. */
export function phaseOf(state: SessionState): SessionPhase {
  if (state === 'created') return 'snapshot';
  if (state === 'planned') return 'plan';
  return state === 'verified' ? 'verify' : 'apply';
}
