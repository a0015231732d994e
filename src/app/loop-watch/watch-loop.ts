import { createTail, randomHex } from '../../base/ids.ts';
import { mayBeStore, openStore, type OpenStoreOptions } from '../../continuity/database/open-store.ts';
import { returnSessionTasks } from '../../continuity/loop/claim-next.ts';
import { createScope, type StorePorts } from '../../continuity/scope.ts';
import { SESSION_VARIABLE } from '../../contract/caller.ts';
import { killByEnvironment } from '../../system/process-tree.ts';

/** The loop that a watch belongs to. */
export interface WatchedLoop {
  readonly session: string;
  readonly agent: string;
  /** The address of its database. */
  readonly database: string;
  /** What is needed to open it. */
  readonly access?: OpenStoreOptions;
}

/** The line that a loop sends when it ends normally. */
export const FINISHED = 'finished\n';

/**
 * Waits until the loop has finished, or was killed: then its agents are killed, because no process monitors them, and its tasks are
 * returned to the queue. The agents have the session of the loop in their environment.
 */
export async function watchLoop(loop: WatchedLoop, input: AsyncIterable<Uint8Array>): Promise<void> {
  let text = '';
  for await (const piece of input) text += Buffer.from(piece).toString('utf8');
  if (text === FINISHED) return;
  killByEnvironment(`${SESSION_VARIABLE}=${loop.session}`);
  // The store may have been deleted meanwhile; it must not be created again.
  if (!mayBeStore(loop.database)) return;
  const ports: StorePorts = {
    now: Date.now,
    randomHex,
    createTail,
    describeFile: async () => undefined,
  };
  const database = await openStore(loop.database, loop.access);
  try {
    await database.transaction((db) => returnSessionTasks(createScope(db, loop.agent, ports, loop.session)));
  } finally {
    database.close();
  }
}
