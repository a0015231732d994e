import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { openOutcomes } from '../session/outcomes.ts';
import type { TriageSession } from '../session/session.ts';
import { phaseOf, type TriageSessionState } from '../session/session-state.ts';
import type { SessionsBody, StatusBody } from '../session-results.ts';
import { countCompleted } from './apply-actions.ts';
import type { TriageContext } from './triage-context.ts';

/** Returns the state and progress of a triage session, and the command to resume it. */
export async function sessionStatus(
  { environment }: TriageContext,
  session: TriageSession,
): Promise<StatusBody> {
  const manifest = session.readManifest();
  const state = await currentState(session, manifest.state);
  const plan = session.read('plan.json');
  const entries = openOutcomes(session).entries();
  const hasEnded = state === 'completed' || state === 'verified';
  const completed = hasEnded ? entries.filter(isDone).length : countCompleted(entries);
  const total = Math.max(manifest.approved?.targets?.length ?? plan?.actions.length ?? 0, entries.length);
  const resumable = state === 'interrupted' || state === 'executing' || state === 'approved';
  return {
    session_id: session.id,
    state,
    phase: phaseOf(state),
    progress: { total_actions: total, completed_actions: completed, pending_actions: total - completed },
    resumable,
    resume_command: resumable ? `${environment.program} apply --session ${session.id} --resume` : null,
    created_at: manifest.created_at,
    updated_at: manifest.updated_at,
  };
}

function isDone({ progress }: OutcomeEntry): boolean {
  return progress === 'done';
}

/** A killed apply leaves the state "executing" and no lock: it is interrupted. */
async function currentState(session: TriageSession, state: TriageSessionState): Promise<TriageSessionState> {
  return state === 'executing' && !(await session.isInUse()) ? 'interrupted' : state;
}

/** Lists triage sessions, newest first; those that cannot be read have the state "unreadable". */
export async function listTriageSessions(context: TriageContext, limit: number): Promise<SessionsBody> {
  const ids = context.store.list();
  const describe = async (id: string): Promise<SessionsBody['sessions'][number]> => {
    try {
      const session = context.store.open(id);
      const { state, created_at, updated_at } = session.readManifest();
      return { session_id: id, state: await currentState(session, state), created_at, updated_at };
    } catch {
      return { session_id: id, state: 'unreadable', created_at: null, updated_at: null };
    }
  };
  return { sessions: await Promise.all(ids.slice(0, limit).map(describe)), total: ids.length };
}
