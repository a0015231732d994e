import { Fault } from '../../base/fault.ts';
import { placeBet, type Wealth } from '../decision/alpha-investing.ts';
import { readBudget, type ErrorBudget } from '../gates/budget-file.ts';
import { isSingleKind } from '../generations/find-generations.ts';
import { createKindFinder } from '../kinds/find-kind.ts';
import { collect } from '../proc/collect.ts';
import { findMarked } from '../proc/find-marked.ts';
import { findPortHolders } from '../proc/find-port-holders.ts';
import { createProcReader } from '../proc/proc-reader.ts';
import type { TriageSession } from '../session/session.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import { lookUpOrigins } from './look-up-origins.ts';
import { resolveOwner, type TriageContext } from './triage-context.ts';

export interface SnapshotRequest {
  readonly windowMs?: number | undefined;
  readonly uid?: number | undefined;
  /** Deep facts are read for these even if they are not suspects. */
  readonly deepPids?: readonly number[] | undefined;
  /** Deep facts are read for all processes of this run. */
  readonly run?: string | undefined;
  /** Deep facts are read for the processes that listen on this TCP port. */
  readonly port?: number | undefined;
}

export const DEFAULT_WINDOW_MS = 500;

/** Samples the machine twice, a window apart, and creates a triage session with the snapshot. */
export async function snapshotMachine(
  context: TriageContext,
  request: SnapshotRequest,
): Promise<{ session: TriageSession; snapshot: ProcessSnapshot }> {
  context.store.expire();
  // The bet is fixed before the snapshot is taken.
  const { wealth } = currentBudget(context);
  const snapshot = await scan(context, request);
  return { session: createTriageSession(context, snapshot, wealth, request.uid), snapshot };
}

/** Returns the current error budget. */
export function currentBudget({ environment }: TriageContext): ErrorBudget {
  return readBudget(environment.dataRoot, environment.now());
}

/** Creates a triage session with a snapshot. */
export function createTriageSession(
  { environment, store }: TriageContext,
  snapshot: ProcessSnapshot,
  wealth: Wealth,
  uid: number | undefined,
): TriageSession {
  const session = store.create({
    host_id: environment.host,
    boot_id: snapshot.bootId,
    uid: environment.uid,
    alpha: placeBet(wealth).alpha,
    wealth,
    owner: resolveOwner(environment, uid),
  });
  session.write('snapshot.json', snapshot);
  session.writeTelemetry('collection.json', {
    window_ms: snapshot.windowMs,
    processes: snapshot.processes.length,
    deep: snapshot.processes.filter(({ deep }) => deep !== null).length,
    visibility: snapshot.visibility,
    memory: snapshot.memory,
  });
  session.audit('snapshot.taken', { processes: snapshot.processes.length, window_ms: snapshot.windowMs });
  return session;
}

/** Takes a snapshot without storing it. */
export async function scan(
  { environment, parameters }: TriageContext,
  request: SnapshotRequest,
): Promise<ProcessSnapshot> {
  const uid = resolveOwner(environment, request.uid);
  const runPids =
    request.run === undefined
      ? []
      : findMarked(createProcReader(environment.procRoot), `DEED_RUN_ID=${request.run}`, uid);
  const portPids = request.port === undefined ? [] : requireHolders(environment.procRoot, request.port);
  const findKind = createKindFinder(parameters);
  const snapshot = await collect(environment.procRoot, {
    host: environment.host,
    observer: { pid: environment.pid, uid: environment.uid },
    sleep: environment.sleep,
    now: environment.now,
    windowMs: request.windowMs ?? DEFAULT_WINDOW_MS,
    names: parameters.names,
    uid,
    deepPids: [...(request.deepPids ?? []), ...runPids, ...portPids],
    isSingle: (command, comm) => isSingleKind(findKind(command, comm)),
  });
  // An abort shortens the window, and in a short window every process looks idle.
  environment.signal.throwIfAborted();
  return { ...snapshot, ...lookUpOrigins(snapshot, environment) };
}

function requireHolders(procRoot: string, port: number): readonly number[] {
  const { sockets, pids } = findPortHolders(createProcReader(procRoot), port);
  if (pids.length > 0) return pids;
  if (sockets > 0) {
    throw new Fault('E_FORBIDDEN', `A process that is not visible to this account listens on port ${port}.`, {
      hint: 'Run it again as root, or ask the owner of the process.',
      details: { field: 'port', port },
    });
  }
  throw new Fault('E_NOT_FOUND', `No process listens on TCP port ${port}.`, {
    hint: 'The port is free. If a program reports it as in use, the last connection may still be closing; try again in a minute.',
    details: { resource: 'port', port },
  });
}
