import type { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { contractError } from './exit-code.ts';

const SCHEMA_VERSION = '1.0.0';

/** The four members that every answer begins with. */
function head(host: DialectHost, sessionId: string | null): JsonObject {
  return {
    schema_version: SCHEMA_VERSION,
    session_id: sessionId,
    generated_at: new Date(host.system.clock.now()).toISOString().replace(/\.\d+Z$/u, 'Z'),
    host_id: host.system.account.host,
  };
}

/** A result in the contract's form: its own head counts, since the same answer must not tell two times. */
export function answerOf(data: JsonObject, host: DialectHost, sessionId: string | null): JsonObject {
  return { ...head(host, sessionId), ...data };
}

/** What apply would do, for a caller that has not approved it yet. */
export function previewOf(data: JsonObject, host: DialectHost, sessionId: string | null): JsonObject {
  const { changes } = isPlainObject(data.preview) ? data.preview : { changes: [] };
  const rows = (Array.isArray(changes) ? changes : []) as readonly Change[];
  return {
    ...head(host, sessionId),
    approved: false,
    results: [],
    summary: { total: rows.length, successful: 0, skipped: 0, blocked: 0, failed: 0, memory_freed_mb: 0 },
    preview: rows.map(({ action, id, after }) => {
      const at = id.indexOf(':');
      return { target: { pid: Number(id.slice(0, at)), start_id: id.slice(at + 1) }, action, ...after };
    }),
    next_step: 'Nothing was done. Add --yes to approve this plan and execute it.',
  };
}

interface Change {
  readonly action: string;
  readonly id: string;
  readonly after: JsonObject;
}

/** A failure in the contract's form; what a run had done before it stopped stands where the results of a whole run stand. */
export function errorOf(fault: Fault, host: DialectHost, sessionId: string | null): JsonObject {
  const { code, recoverable } = contractError(fault);
  const { results, summary, ...details } = fault.details;
  return {
    ...head(host, sessionId),
    ...(results !== undefined && { results, summary }),
    error: {
      code,
      message: fault.message,
      details,
      recoverable,
      recovery_action:
        code === 'IDENTITY_MISMATCH' ? 'Generate fresh plan with: pt agent plan' : (fault.hint ?? null),
    },
  };
}
