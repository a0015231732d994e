import type { PoolClient } from 'pg';
import { Fault } from '../../../base/fault.ts';
import type { Database } from '../database.ts';
import { isTooOld } from './assert-schema-version.ts';
import { migratePostgres } from './migrate-postgres.ts';
import type { PostgresStore } from './postgres-store.ts';
import { isConflict, isMissingStore } from './postgres-fault.ts';
import { POSTGRES_SCHEMA_VERSION } from './postgres-migrations.ts';
import { runTransaction, type StoreState } from './transaction.ts';

/** How often a transaction is repeated because of other writers. */
const MAX_CONFLICTS = 10;

/**
 * Returns a function that runs transactions: it creates or migrates the store first if needed, and repeats the work after a conflict, or
 * if the connection broke before the commit was sent. If it broke later, the caller has to retry with its request id.
 */
export function createTransact(
  { address, useClient, waitMs, record }: PostgresStore,
  onStart: (state: StoreState) => void,
): Database['transaction'] {
  return async (work, hints = () => ({})) => {
    let isCommitting = false;
    const attempt = (client: PoolClient) => {
      isCommitting = false;
      const onCommit = (): void => void (isCommitting = true);
      return runTransaction(client, work, { hints: hints(), waitMs, onStart, onCommit });
    };
    const attemptOrCreate = async (client: PoolClient) => {
      try {
        return await attempt(client);
      } catch (error) {
        if (!isMissingStore(error) && !isTooOld(error)) throw error;
        await migratePostgres(client, address, POSTGRES_SCHEMA_VERSION);
        return attempt(client);
      }
    };
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        const { result, lastEvent } = await useClient(attemptOrCreate, () => !isCommitting);
        if (lastEvent > 0) record?.write(lastEvent);
        return result;
      } catch (error) {
        if (!(error instanceof Fault) || !isConflict(error.cause) || conflicts >= MAX_CONFLICTS) throw error;
      }
    }
  };
}
