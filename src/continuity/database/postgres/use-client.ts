import type { Pool, PoolClient } from 'pg';
import { sleep } from '../../../base/sleep.ts';
import { monotonicMs } from '../../../system/monotonic-ms.ts';
import { isDisconnected, postgresFault } from './postgres-fault.ts';

/** A server that restarts is back within seconds; one that is down longer is reported. */
const RECONNECT_MS = 5000;

/** Runs work on a connection. */
export type UseClient = <T>(
  work: (client: PoolClient) => Promise<T>,
  /** Whether the work may run again after the connection broke; asked then. */
  mayRepeat?: () => boolean,
) => Promise<T>;

/** Returns a function that repeats its work while the server cannot be reached, as long as nothing can have been stored. */
export function createUseClient(pool: Pool, url: string, waitMs: number): UseClient {
  return async (work, mayRepeat = () => true) => {
    const deadline = monotonicMs() + Math.min(waitMs, RECONNECT_MS);
    for (let attempt = 1; ; attempt += 1) {
      let client: PoolClient | undefined;
      try {
        client = await pool.connect();
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        const isGone = isDisconnected(error);
        client?.release(isGone);
        if (!isGone || !mayRepeat() || monotonicMs() > deadline) throw postgresFault(error, url);
        await sleep(Math.min(250, 20 * attempt));
      }
    }
  };
}
