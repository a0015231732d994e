import { sha256 } from '../system/digest.ts';
import { Fault } from '../base/fault.ts';
import { idsAsIntegers, idsAsStrings } from '../base/integer-ids.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { Database, PlannedRead, QueryRunner, TransactionHints } from './database/database.ts';
import { findRequest, insertRequest } from './database/queries/requests.ts';
import { shortenLeases } from './store-clock.ts';
import { createScope, type Scope, type StorePorts } from './scope.ts';

/** Identifies one write of a caller. */
export interface WriteKey {
  readonly agent: string;
  /** The session that claims of this write belong to; not a part of the identity of the write. */
  readonly claimSession?: string | null | undefined;
  /** Without an id, a retry writes again. */
  readonly requestId: string | undefined;
  readonly command: string;
  readonly params: unknown;
  /**
   * What to do with a known id and a different payload. `reject`: return a conflict. `replay`: return the first answer with a mark,
   * because models reword their retries.
   */
  readonly onPayloadMismatch: 'reject' | 'replay';
}

/**
 * Runs a write once per (agent, request id). The answer is stored in the transaction of the write, so both are stored or neither,
 * even if the process is killed.
 */
export async function writeOnce<T extends JsonObject>(
  database: Database,
  key: WriteKey,
  ports: StorePorts,
  work: (scope: Scope) => Promise<T>,
  hints: () => TransactionHints = () => ({}),
): Promise<T> {
  const withRequest = (): TransactionHints => {
    const given = hints();
    return { ...given, reads: [...requestOf(key), ...(given.reads ?? [])] };
  };
  return database.transaction((db) => writeWithin(db, key, ports, work), withRequest);
}

function requestOf({ agent, requestId }: WriteKey): PlannedRead[] {
  return requestId === undefined ? [] : [[findRequest, { agent, request_id: requestId }]];
}

/** Like `writeOnce`, inside an existing transaction. */
export async function writeWithin<T extends JsonObject>(
  db: QueryRunner,
  key: WriteKey,
  ports: StorePorts,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  const payload = key.requestId === undefined ? '' : payloadHash(key);
  if (key.requestId !== undefined) {
    const known = await lookUp(db, key, payload);
    if (known) return known as T;
  }
  const scope = createScope(db, key.agent, ports, key.claimSession);
  await shortenLeases(scope);
  const result = await work(scope);
  if (key.requestId !== undefined) {
    await db.send(insertRequest, {
      agent: key.agent,
      request_id: key.requestId,
      command: key.command,
      payload,
      // Stored as released versions read and wrote it.
      result: JSON.stringify(idsAsIntegers(result)),
      at: scope.at,
    });
  }
  return result;
}

/** Returns the stored answer of a known request id, marked as replayed; undefined if the id is new. */
export async function recallAnswer(db: QueryRunner, key: WriteKey): Promise<JsonObject | undefined> {
  return key.requestId === undefined ? undefined : lookUp(db, key, payloadHash(key));
}

async function lookUp(db: QueryRunner, key: WriteKey, payload: string): Promise<JsonObject | undefined> {
  const request_id = key.requestId ?? '';
  const known = await db.first(findRequest, { agent: key.agent, request_id });
  if (known === undefined) return undefined;
  if (known.command !== key.command)
    throw conflict(request_id, `it was used for "${known.command}"`, 'other_command');
  const samePayload = known.payload === payload;
  if (!samePayload && key.onPayloadMismatch === 'reject')
    throw conflict(request_id, 'it was used with different arguments', 'other_payload');
  return {
    ...idsAsStrings(JSON.parse(known.result) as JsonObject),
    replayed: true,
    ...(!samePayload && { payload_mismatch: true }),
  };
}

function payloadHash(key: WriteKey): string {
  return sha256(canonicalJson(key.params));
}

function conflict(requestId: string, why: string, reason: string): Fault {
  return new Fault('E_CONFLICT', `The request id ${requestId} cannot be reused: ${why}.`, {
    hint: 'Use a new request id for a new write.',
    details: { field: 'request_id', reason },
  });
}
