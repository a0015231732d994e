import { placeBet, type Wealth } from '../decision/alpha-investing.ts';
import { readBudget, type Budget } from '../gates/budget-file.ts';
import { collect } from '../proc/collect.ts';
import { findMarked } from '../proc/find-marked.ts';
import { createProcReader } from '../proc/proc-reader.ts';
import type { Session } from '../session/session.ts';
import type { Snapshot } from '../snapshot.ts';
import { lookUpOrigins } from './look-up-origins.ts';
import { resolveOwner, type Workshop } from './workshop.ts';

export interface SnapshotRequest {
  readonly windowMs?: number | undefined;
  readonly uid?: number | undefined;
  /** Looked into deeply whether suspect or not. */
  readonly deepPids?: readonly number[] | undefined;
  /** Everything that carries this run's mark is looked into. */
  readonly run?: string | undefined;
}

export const DEFAULT_WINDOW_MS = 500;

/** Looks at the machine twice, a window apart, and begins a session with what was seen. */
export async function takeSnapshot(
  workshop: Workshop,
  request: SnapshotRequest,
): Promise<{ session: Session; snapshot: Snapshot }> {
  workshop.store.expire();
  // The bet is fixed before anything is seen.
  const { wealth } = currentBudget(workshop);
  const snapshot = await look(workshop, request);
  return { session: keepSnapshot(workshop, snapshot, wealth, request.uid), snapshot };
}

/** What may still be risked now. */
export function currentBudget({ world }: Workshop): Budget {
  return readBudget(world.dataRoot, world.now());
}

/** Begins a session with a snapshot that was taken. */
export function keepSnapshot(
  { world, store }: Workshop,
  snapshot: Snapshot,
  wealth: Wealth,
  uid: number | undefined,
): Session {
  const session = store.create({ host_id: world.host, boot_id: snapshot.bootId, uid: world.uid });
  session.write('snapshot.json', snapshot);
  session.note({ alpha: placeBet(wealth).alpha, wealth, owner: resolveOwner(world, uid) });
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

/** Looks without leaving anything behind. */
export async function look({ world, parameters }: Workshop, request: SnapshotRequest): Promise<Snapshot> {
  const uid = resolveOwner(world, request.uid);
  const ofRun =
    request.run === undefined
      ? []
      : findMarked(createProcReader(world.procRoot), `DEED_RUN_ID=${request.run}`, uid);
  const snapshot = await collect(world.procRoot, {
    host: world.host,
    observer: { pid: world.pid, uid: world.uid },
    sleep: world.sleep,
    now: world.now,
    windowMs: request.windowMs ?? DEFAULT_WINDOW_MS,
    names: parameters.names,
    uid,
    deepPids: [...(request.deepPids ?? []), ...ofRun],
  });
  return { ...snapshot, ...lookUpOrigins(snapshot, world) };
}
