import type { WriteRecord } from '../write-record.ts';
import type { PostgresAddress } from './postgres-address.ts';
import type { UseClient } from './use-client.ts';

/** A store, and how to use it. */
export interface PostgresStore {
  readonly address: PostgresAddress;
  readonly useClient: UseClient;
  /** How long a write waits for other writers. */
  readonly waitMs: number;
  /** The last write that is known; a store without it is refused. */
  readonly record: WriteRecord | undefined;
}
