import type { PoolConfig } from 'pg';
import { connectionOptions, type PostgresSecrets } from './connect-postgres.ts';
import { openQueueConnections, type QueueConnections } from './queue-connections.ts';
import { queueStatements } from './queue-statements.ts';
import { parsePostgresUrl } from './postgres-address.ts';
import { postgresFault } from './postgres-fault.ts';

/** How a library with its own statements uses the database of a store. */
export interface SharedConnection {
  readonly options: ReturnType<typeof connectionOptions>;
  /** Opens connections with these settings, in addition to where and as whom. */
  readonly open: (settings: PoolConfig) => QueueConnections;
  /** The schema of the store. */
  readonly schema: string;
  readonly queueStatements: typeof queueStatements;
  /** Converts an error of the database to a fault; returns others unchanged. */
  readonly toFault: (error: unknown) => unknown;
}

export function describeConnection(url: string, secrets: PostgresSecrets): SharedConnection {
  const address = parsePostgresUrl(url);
  const options = connectionOptions(address, secrets);
  return {
    options,
    open: (settings) => openQueueConnections({ ...options, ...settings }),
    schema: address.schema,
    queueStatements,
    toFault: (error) => postgresFault(error, url),
  };
}
