import { Fault } from '../../base/fault.ts';
import { lazy } from '../../base/lazy.ts';
import { loadParameters } from '../parameters/load-parameters.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { openLiveProcesses, type LiveProcesses } from '../proc/live-processes.ts';
import { createProcReader } from '../proc/proc-reader.ts';
import { readSteering, type Steering } from '../steering/steering.ts';
import { openSessionStore, type SessionStore } from '../session/session-store.ts';
import type { TriageEnvironment } from '../triage-environment.ts';

/** The shared state of all operations. */
export interface TriageContext {
  readonly environment: TriageEnvironment;
  readonly store: SessionStore;
  /** With the names that users protected. */
  readonly parameters: Parameters;
  readonly steering: Steering;
  readonly live: LiveProcesses;
}

export const KILLS_PER_DAY = 500;

export function openTriageContext(environment: TriageEnvironment): TriageContext {
  const steering = lazy(() => readSteering(environment.dataRoot));
  const parameters = lazy(() => protect(loadParameters(environment.overrides), steering()));
  return {
    environment,
    // Read when needed: a damaged record of decisions stops plans and actions, but not the list of sessions.
    get steering() {
      return steering();
    },
    get parameters() {
      return parameters();
    },
    store: openSessionStore(environment.dataRoot, environment.now, environment.retentionMs),
    live: openLiveProcesses(createProcReader(environment.procRoot)),
  };
}

function protect(parameters: Parameters, steering: Steering): Parameters {
  if (steering.protected.length === 0) return parameters;
  const { names } = parameters;
  const added = steering.protected.map(({ name }) => name);
  return {
    ...parameters,
    names: {
      ...names,
      protected: [...added, ...names.protected],
      protectedPrograms: [...added, ...names.protectedPrograms],
    },
  };
}

/** Returns the account whose processes are covered: the caller's, or for root any requested account. */
export function resolveOwner({ uid }: TriageEnvironment, requested: number | undefined): number {
  if (requested === undefined || requested === uid) return uid;
  if (uid === 0) return requested;
  throw new Fault(
    'E_FORBIDDEN',
    `Only root can triage the processes of uid ${requested}; this is uid ${uid}.`,
    {
      hint: `Run as that account, or with sudo and --uid ${requested}.`,
      details: { field: 'uid', uid: requested },
    },
  );
}
