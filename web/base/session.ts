import { signal } from '@preact/signals';
import { CallError, readSession, SIGNED_OUT, signOut, type SessionInfo } from './api.ts';

/** The signed-in person; null when signed out, undefined until it is known. */
export const session = signal<SessionInfo | null | undefined>(undefined);
/** Why the session is unknown. */
export const sessionError = signal<CallError | undefined>(undefined);

export async function loadSession(): Promise<void> {
  try {
    session.value = await readSession();
    sessionError.value = undefined;
  } catch (error) {
    sessionError.value = noteFailure(error);
  }
}

/** Why this browser cannot decide about what waits. */
export function whyNoDecision(): string {
  return session.value?.read_only === true
    ? 'This server is read-only.'
    : 'Only a person can decide: sign in with a link that a terminal showed.';
}

export async function endSession(): Promise<void> {
  await signOut().catch(noteFailure);
  session.value = null;
}

/** Turns any failure into a fault; a session that ended is shown by every page. */
export function noteFailure(error: unknown): CallError {
  const fault = error instanceof CallError ? error : new CallError('E_UNKNOWN', String(error));
  if (fault.code === SIGNED_OUT) session.value = null;
  return fault;
}
