import pg from 'pg';
import { listenToChannel } from './listen-to-channel.ts';
import { statementName } from './statement-names.ts';

/** What the library of the queue uses to reach the database. */
export interface QueueConnections {
  readonly executeSql: (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;
  /** Receives the notifications of a channel; some may be lost. Returns a function that ends this, before `close`. */
  readonly subscribe: (channel: string, onMessage: (message: string) => void) => () => void;
  readonly close: () => Promise<void>;
}

/** Several in one text cannot be prepared. */
const ONE_STATEMENT = /^\s*(?:select|insert|update|delete|with)\b[^;]*$/iu;

/**
 * Opens connections for a library that has its own statements. The library sends the same few again and again, and the server would
 * need longer to plan them than to execute them.
 */
export function openQueueConnections(options: pg.PoolConfig): QueueConnections {
  const pool = new pg.Pool(options);
  // A connection that breaks is replaced by the next query; one that is used also fails its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return {
    executeSql: (text, values = []) =>
      pool.query(ONE_STATEMENT.test(text) ? { name: statementName(text), text, values } : { text, values }),
    subscribe: (channel, onMessage) => listenToChannel(pool, channel, onMessage),
    close: () => pool.end(),
  };
}
