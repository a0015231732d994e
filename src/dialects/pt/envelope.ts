import type { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { contractError } from './exit-code.ts';

const SCHEMA_VERSION = '1.0.0';

/** The four members at the start of every answer. */
function header(host: DialectHost, sessionId: string | null): JsonObject {
  return {
    schema_version: SCHEMA_VERSION,
    session_id: sessionId,
    generated_at: new Date(host.system.clock.now()).toISOString().replace(/\.\d+Z$/u, 'Z'),
    host_id: host.system.account.host,
  };
}

/** Renders a result in the contract's envelope. The header of the result, if it has one, is used, so that the time is not changed. */
export function answerOf(data: JsonObject, host: DialectHost, sessionId: string | null): JsonObject {
  return { ...header(host, sessionId), ...data };
}

/** Renders what apply would do without --yes. */
export function previewOf(data: JsonObject, host: DialectHost, sessionId: string | null): JsonObject {
  const { changes } = isPlainObject(data.preview) ? data.preview : { changes: [] };
  const rows = (Array.isArray(changes) ? changes : []) as readonly Change[];
  return {
    ...header(host, sessionId),
    approved: false,
    results: [],
    summary: { total: rows.length, successful: 0, skipped: 0, blocked: 0, failed: 0, memory_freed_mb: 0 },
    preview: rows.map(({ action, id, after }) => {
      const at = id.indexOf(':');
      return { target: { pid: Number(id.slice(0, at)), start_id: id.slice(at + 1) }, action, ...after };
    }),
    next_step: 'No action was taken. Add --yes to approve this plan and execute it.',
  };
}

interface Change {
  readonly action: string;
  readonly id: string;
  readonly after: JsonObject;
}

/** Renders a fault in the contract's envelope; the results of an apply that stopped early are members of the envelope, as for a complete one. */
export function errorOf(fault: Fault, host: DialectHost, sessionId: string | null): JsonObject {
  const { code, recoverable } = contractError(fault);
  const { results, summary, ...details } = fault.details;
  return {
    ...header(host, sessionId),
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
