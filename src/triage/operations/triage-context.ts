import { Fault } from '../../base/fault.ts';
import { loadParameters } from '../parameters/load-parameters.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { openLiveProcesses, type LiveProcesses } from '../proc/live-processes.ts';
import { createProcReader } from '../proc/proc-reader.ts';
import { openSessionStore, type SessionStore } from '../session/session-store.ts';
import type { TriageEnvironment } from '../triage-environment.ts';

/** What all operations share. */
export interface TriageContext {
  readonly environment: TriageEnvironment;
  readonly store: SessionStore;
  readonly parameters: Parameters;
  readonly live: LiveProcesses;
}

export const KILLS_PER_DAY = 500;

export function openTriageContext(environment: TriageEnvironment): TriageContext {
  return {
    environment,
    store: openSessionStore(environment.dataRoot, environment.now, environment.retentionMs),
    parameters: loadParameters(environment.overrides),
    live: openLiveProcesses(createProcReader(environment.procRoot)),
  };
}

/** Whose processes an operation is about: the caller's own, or for root those of an account it names. */
export function resolveOwner({ uid }: TriageEnvironment, asked: number | undefined): number {
  if (asked === undefined || asked === uid) return uid;
  if (uid === 0) return asked;
  throw new Fault(
    'E_FORBIDDEN',
    `Only root may look after the processes of uid ${asked}; this is uid ${uid}.`,
    {
      hint: `Run it as that account, or with sudo and --uid ${asked}.`,
      details: { field: 'uid', uid: asked },
    },
  );
}
