import { isoTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { removeEmptyGroup } from '../actions/throttle-groups.ts';
import { presentVerification } from '../present/present-verification.ts';
import { openOutcomes } from '../session/outcomes.ts';
import type { TriageSession } from '../session/session.ts';
import type { VerifyBody } from '../triage-results.ts';
import { verifyOutcomes, type Verification } from './verify-outcomes.ts';
import type { TriageContext } from './triage-context.ts';

/** How long to wait for a supervisor to restart a process. */
const SETTLE_MS = 250;

/** Measures the effects of the actions of a triage session. */
export async function verifySession(
  { environment, live }: TriageContext,
  session: TriageSession,
): Promise<VerifyBody> {
  const requestedAt = isoTime(environment.now());
  const plan = session.require('plan.json');
  const { state } = session.readManifest();
  const entries = openOutcomes(session).entries();
  if (entries.length === 0 && state !== 'completed' && state !== 'verified')
    throw nothingApplied(session.id, state);
  const measure = (): readonly Verification[] => verifyOutcomes(plan, entries, live, environment.now());
  let found = measure();
  // A slower restart is found by another verify.
  if (found.some(({ outcome }) => outcome === 'confirmed_dead')) {
    await environment.sleep(SETTLE_MS);
    // An abort shortens the wait, and then a restart would be missed.
    environment.signal.throwIfAborted();
    found = measure();
  }
  // The processes that were throttled may have exited since.
  for (const { throttle } of entries) if (throttle?.cgroup) removeEmptyGroup(throttle.cgroup);
  const verification = presentVerification(found, { requestedAt, completedAt: isoTime(environment.now()) });
  if (state === 'completed' || state === 'verified')
    session.advance('verified', { verified_at: isoTime(environment.now()) });
  session.writeTelemetry('verification.json', verification);
  session.audit('session.verified', {
    outcomes: found.map(({ entry, outcome }) => [entry.target.pid, outcome]),
  });
  return verification;
}

function nothingApplied(id: string, state: string): Fault {
  return new Fault(
    'E_CONFLICT',
    `Triage session ${id} is ${state}: no action was applied, so there is nothing to verify.`,
    {
      hint: `Apply it first: apply --session ${id} --recommended.`,
      details: { session_id: id, state },
    },
  );
}
