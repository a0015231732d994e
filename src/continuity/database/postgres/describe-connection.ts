import { connectionOptions, type PostgresSecrets } from './connect-postgres.ts';
import { queueStatements } from './queue-statements.ts';
import { parsePostgresUrl } from './postgres-address.ts';
import { postgresFault } from './postgres-fault.ts';

/** How a library with a driver of its own connects to the database of a store. */
export interface SharedConnection {
  readonly options: ReturnType<typeof connectionOptions>;
  /** The schema of the store. */
  readonly schema: string;
  readonly queueStatements: typeof queueStatements;
  /** Converts an error of the database to a fault; returns others unchanged. */
  readonly toFault: (error: unknown) => unknown;
}

export function describeConnection(url: string, secrets: PostgresSecrets): SharedConnection {
  const address = parsePostgresUrl(url);
  return {
    options: connectionOptions(address, secrets),
    schema: address.schema,
    queueStatements,
    toFault: (error) => postgresFault(error, url),
  };
}
