import type { Assessment } from '../assessment.ts';
import type { TriageSession } from '../session/session.ts';
import type { FeedbackEntry, ProtectedEntry } from '../steering/steering.ts';
import type { ResultHeader } from '../triage-results.ts';
import { parseTarget } from './choose-actions.ts';
import { assessTarget, type FeedbackRequest } from './explain-targets.ts';
import {
  addProtected,
  listProtected,
  recordFeedback,
  removeProtected,
  requireProtected,
  steeringVersion,
} from './steer.ts';
import { snapshotMachine } from './snapshot-machine.ts';
import type { TriageContext } from './triage-context.ts';

export interface ProtectionsBody {
  readonly protected: readonly ProtectedEntry[];
  readonly built_in: readonly string[];
  /** Changes with every decision of a user. */
  readonly version: string;
}

/** The process that feedback is about, with the triage session that has its assessment. */
export interface FeedbackSubject {
  readonly sessionId: string;
  readonly assessment: Assessment;
  readonly version: string;
}

/** The operations by which users steer triage. */
export interface SteeringOperations {
  readonly protections: () => Promise<ResultHeader<null> & ProtectionsBody>;
  readonly protect: (
    name: string,
    reason: string | undefined,
  ) => Promise<ResultHeader<null> & { name: string }>;
  /** Contract: throws E_NOT_FOUND for a name that is not protected, and E_PROTECTED for a built-in one. */
  readonly requireProtected: (name: string) => Promise<ProtectedEntry>;
  readonly unprotect: (name: string) => Promise<ResultHeader<null> & { name: string }>;
  /** Finds the process that feedback is about: in a triage session, or running now. */
  readonly findForFeedback: (request: FeedbackRequest) => Promise<FeedbackSubject>;
  readonly giveFeedback: (
    subject: FeedbackSubject,
    verdict: FeedbackEntry['verdict'],
  ) => Promise<ResultHeader & FeedbackEntry>;
}

interface SteeringPorts {
  readonly context: () => TriageContext;
  /** Like `context`, but throws where processes are not visible. */
  readonly live: () => TriageContext;
  readonly open: (id: string) => TriageSession;
  readonly header: <Id extends string | null>(sessionId: Id) => ResultHeader<Id>;
  /** The next operation reads the decisions again. */
  readonly reset: () => void;
}

export function openSteering({ context, live, open, header, reset }: SteeringPorts): SteeringOperations {
  const changed = async (
    name: string,
    change: Promise<void>,
  ): Promise<ResultHeader<null> & { name: string }> => {
    await change;
    reset();
    return { ...header(null), name };
  };
  return {
    protections: async () => ({
      ...header(null),
      ...listProtected(context()),
      version: steeringVersion(context().steering),
    }),
    protect: (name, reason) => changed(name, addProtected(context(), name, reason)),
    requireProtected: async (name) => requireProtected(context(), name),
    unprotect: (name) => changed(name, removeProtected(context(), name)),
    findForFeedback: async ({ target, session: id }) => {
      const { pid } = parseTarget(target);
      const session =
        id === undefined ? (await snapshotMachine(live(), { deepPids: [pid] })).session : open(id);
      const assessment = await assessTarget(context(), session, target);
      return { sessionId: session.id, assessment, version: steeringVersion(context().steering) };
    },
    giveFeedback: async ({ sessionId, assessment }, verdict) => {
      const entry = await recordFeedback(context(), assessment, verdict);
      reset();
      return { ...header(sessionId), ...entry };
    },
  };
}
