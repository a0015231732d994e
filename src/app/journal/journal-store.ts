import type { JsonObject } from '../../base/json.ts';
import { randomHex } from '../../base/ids.ts';
import type { Session } from '../../continuity/database/database.ts';
import { openSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { writeWithin } from '../../continuity/idempotency.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { Scope, StorePorts } from '../../continuity/scope.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { RunNote } from '../../work/journal/run-journal.ts';
import { locateStore } from '../locate-store.ts';

export type StoreContext = Pick<CommandContext, 'system' | 'home'>;

/** Work goes on while it waits for the store, so it does not wait long; what could not be written is written later. */
const BUSY_MS = 2000;
/** With staged writes a whole run hangs on it. */
export const PATIENT_MS = 20_000;

/** One call on the store: a transaction in which each part is done once, whenever and by whomever it is repeated. */
export interface Writing {
  readonly session: Session;
  readonly once: <T extends JsonObject>(what: string, work: (scope: Scope) => Promise<T>) => Promise<T>;
}

/** Writes about a run, in the name of whoever works for it. */
export function writeJournal<T>(
  context: StoreContext,
  note: Pick<RunNote, 'agentId' | 'jobId'>,
  work: (writing: Writing) => Promise<T>,
  busyMs = BUSY_MS,
): Promise<T> {
  const ports = journalPorts(context);
  const within = (session: Session): Promise<T> =>
    work({
      session,
      once: (what, part) => {
        const key = {
          requestId: what,
          command: 'work run',
          params: {},
          onPayloadMismatch: 'replay',
        } as const;
        return writeWithin(session, { ...key, agent: ownerOf(note) }, ports, part);
      },
    });
  return inTransaction(context, within, busyMs);
}

export async function inTransaction<T>(
  context: StoreContext,
  work: (session: Session) => Promise<T>,
  busyTimeoutMs = BUSY_MS,
): Promise<T> {
  const database = openSqlite(locateStore({}, context).path, { busyTimeoutMs });
  try {
    return await database.transaction(work);
  } finally {
    database.close();
  }
}

export function journalPorts({ system }: StoreContext): StorePorts {
  return { now: system.clock.now, randomHex, describeFile: async () => undefined };
}

/** The name under which a job works for an agent; no two jobs share one, so none can take a task that another has claimed. */
export function ownerOf({ agentId, jobId }: Pick<RunNote, 'agentId' | 'jobId'>): string {
  return `${agentId}@${jobId}`;
}

/** A project is named by the folder that is worked in, literally. */
export function projectOf({ root }: Pick<RunNote, 'root'>): string | null {
  return root.length <= STORE_LIMITS.nameCharacters ? root : null;
}
