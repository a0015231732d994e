import { openOutcomes } from '../session/outcomes.ts';
import type { Session } from '../session/session.ts';
import { phaseOf } from '../session/session-state.ts';
import type { SessionsBody, StatusBody } from '../session-results.ts';
import type { TriageContext } from './triage-context.ts';

/** Returns the state and progress of a triage session, and the command to resume it. */
export function sessionStatus({ environment }: TriageContext, session: Session): StatusBody {
  const manifest = session.readManifest();
  const plan = session.read('plan.json');
  const entries = openOutcomes(session).entries();
  const completed = entries.filter(({ progress }) => progress === 'done').length;
  const total = Math.max(manifest.approved?.targets?.length ?? plan?.actions.length ?? 0, entries.length);
  // A killed process leaves the state "executing", which can be resumed.
  const resumable =
    manifest.state === 'interrupted' || manifest.state === 'executing' || manifest.state === 'approved';
  return {
    session_id: session.id,
    state: manifest.state,
    phase: phaseOf(manifest.state),
    progress: { total_actions: total, completed_actions: completed, pending_actions: total - completed },
    resumable,
    resume_command: resumable ? `${environment.program} apply --session ${session.id} --resume` : null,
    created_at: manifest.created_at,
    updated_at: manifest.updated_at,
  };
}

/** Lists triage sessions, newest first; those that cannot be read have the state "unreadable". */
export function listSessions(context: TriageContext, limit: number): SessionsBody {
  const ids = context.store.list();
  const sessions = ids.slice(0, limit).map((id): SessionsBody['sessions'][number] => {
    try {
      const { state, created_at, updated_at } = context.store.open(id).readManifest();
      return { session_id: id, state, created_at, updated_at };
    } catch {
      return { session_id: id, state: 'unreadable', created_at: null, updated_at: null };
    }
  });
  return { sessions, total: ids.length };
}
