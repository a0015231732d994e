import type { SessionScope } from '../session/session-scope.ts';

/** Returns whether the session can end and wait for a person: only a stored one can, and a sub-agent is a step of its caller. */
export function canWait({ ports, ids }: SessionScope): boolean {
  return ports.sessionLog !== undefined && ids.parentTxnId === undefined;
}
