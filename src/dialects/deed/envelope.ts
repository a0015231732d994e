import type { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { codeRow } from '../../contract/exit-code.ts';
import { SCHEMA_VERSION } from '../../contract/generated.ts';
import type { FaultReply, Notice, StreamLine, ValueReply } from '../../contract/reply.ts';

/** Creates the JSON document that answers a call. */
export function envelope(reply: ValueReply | FaultReply): JsonObject {
  const meta = metaOf(reply.durationMs, reply.notices);
  if (reply.kind === 'fault')
    return { ok: false, schema_version: SCHEMA_VERSION, error: errorObject(reply.fault), meta };
  return { ok: true, schema_version: SCHEMA_VERSION, data: reply.data, meta };
}

/** Creates one line of a stream; lines have no meta. */
export function streamLine(line: StreamLine): JsonObject {
  if (line.type === 'error') {
    return { ok: false, schema_version: SCHEMA_VERSION, type: 'error', error: errorObject(line.fault) };
  }
  return { ok: true, schema_version: SCHEMA_VERSION, type: line.type, data: line.data };
}

function errorObject(fault: Fault): JsonObject {
  return {
    code: fault.code,
    message: fault.message,
    details: { ...fault.details, ...(fault.hint !== undefined && { hint: fault.hint }) },
    retryable: codeRow(fault.code).retryable,
  };
}

function metaOf(durationMs: number, notices: readonly Notice[]): JsonObject {
  return { duration_ms: durationMs, ...(notices.length > 0 && { notices }) };
}
