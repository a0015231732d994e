import { sha256 } from '../base/digest.ts';
import { Fault } from '../base/fault.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { Database, Session } from './database/database.ts';
import { findRequest, insertRequest } from './database/queries/requests.ts';
import { createScope, type Scope, type StorePorts } from './scope.ts';

/** One write as its caller named it. */
export interface RequestKey {
  readonly agent: string;
  /** Absent: the caller does not want to repeat the call safely. */
  readonly requestId: string | undefined;
  readonly command: string;
  readonly params: unknown;
  /**
   * What a known id with another payload means. `refuse`: a mistake. `tell`: a retry in other words, which models do; the first
   * answer is given again and marked.
   */
  readonly otherPayload: 'refuse' | 'tell';
}

/**
 * Does a write once for an (agent, request id). The answer is stored in the transaction of the write itself: either both are
 * there or neither, whenever the process dies.
 */
export async function writeOnce<T extends JsonObject>(
  database: Database,
  key: RequestKey,
  ports: StorePorts,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  return database.transaction((session) => writeWithin(session, key, ports, work));
}

/** The same as a part of a transaction that does more. */
export async function writeWithin<T extends JsonObject>(
  session: Session,
  key: RequestKey,
  ports: StorePorts,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  const payload = key.requestId === undefined ? '' : payloadMark(key);
  if (key.requestId !== undefined) {
    const known = await lookUp(session, key, payload);
    if (known) return known as T;
  }
  const scope = createScope(session, key.agent, ports);
  const result = await work(scope);
  if (key.requestId !== undefined) {
    await session.run(insertRequest, {
      agent: key.agent,
      request_id: key.requestId,
      command: key.command,
      payload,
      result: JSON.stringify(result),
      at: scope.at,
    });
  }
  return result;
}

/** Gives the stored answer to a known request id, marked as replayed; nothing when it is new. */
export async function recallAnswer(session: Session, key: RequestKey): Promise<JsonObject | undefined> {
  return key.requestId === undefined ? undefined : lookUp(session, key, payloadMark(key));
}

async function lookUp(session: Session, key: RequestKey, payload: string): Promise<JsonObject | undefined> {
  const request_id = key.requestId ?? '';
  const known = await session.first(findRequest, { agent: key.agent, request_id });
  if (known === undefined) return undefined;
  if (known.command !== key.command)
    throw conflict(request_id, `it was used for "${known.command}"`, 'other_command');
  const sameness = known.payload === payload;
  if (!sameness && key.otherPayload === 'refuse')
    throw conflict(request_id, 'it was used with other arguments', 'other_payload');
  return {
    ...(JSON.parse(known.result) as JsonObject),
    replayed: true,
    ...(!sameness && { payload_mismatch: true }),
  };
}

function payloadMark(key: RequestKey): string {
  return sha256(canonicalJson(key.params));
}

function conflict(requestId: string, why: string, reason: string): Fault {
  return new Fault('E_CONFLICT', `The request id ${requestId} cannot be used again: ${why}.`, {
    hint: 'If this is a new write, send it with a new request id.',
    details: { field: 'request_id', reason },
  });
}
