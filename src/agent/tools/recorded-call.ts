import type { AccountingEntry } from '../accounting-entry.ts';
import { forceFinal, type SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import type { RecordedCall } from '../stored-session/restore-session.ts';
import { rejectCall } from './execute-call.ts';

const INTERRUPTED =
  'interrupted with unknown outcome: the session was killed while this call ran, so it may or may not have had its effect; check before you call it again';
const MASKED =
  'not run: its arguments contained a secret, which a stored session does not keep; call it again with the value';

/**
 * Returns the result of a call that an interrupted process has already run, or undefined for a call to run now: a call that was
 * not started, or a call with an unknown outcome whose tool may be called twice.
 */
export function recallCall(scope: SessionScope, call: RequestedCall): CallResult | undefined {
  const known = scope.recorder.recordedCall(call);
  if (known?.result !== undefined) return restoreResult(scope, call, known.result);
  const isRepeatable = scope.tools.get(call.name)?.definition.repeatable === true;
  if (known !== undefined && !isRepeatable) return interruptedResult(scope, call, known);
  return scope.recorder.isMasked ? rejectCall(call, 'failed', MASKED) : undefined;
}

function restoreResult(
  scope: SessionScope,
  call: RequestedCall,
  { dropped, ...result }: NonNullable<RecordedCall['result']>,
): CallResult {
  if (dropped === true) {
    scope.state.toolBudgetExceeded = true;
    forceFinal(scope, 'context', { guard: 'tool_preflight' });
  }
  return { call, ...result };
}

function interruptedResult(
  scope: SessionScope,
  call: RequestedCall,
  { startedAt }: RecordedCall,
): CallResult {
  const result = rejectCall(call, 'interrupted', INTERRUPTED);
  const entry: AccountingEntry = {
    type: 'tool',
    mcpServer: scope.tools.get(call.name)?.definition.origin.server ?? 'unknown',
    command: call.name,
    status: 'failed',
    latency: 0,
    timestamp: startedAt,
    charactersIn: call.arguments.length,
    charactersOut: result.text.length,
    ...(call.source === 'xml' && { source: 'xml' }),
    error: 'interrupted with unknown outcome',
    ...scope.ids,
  };
  scope.ledger.add(entry);
  const { ok, text, latencyMs, code } = result;
  scope.recorder.callFinished(call, { ok, text, latencyMs, ...(code !== undefined && { code }) }, entry);
  return result;
}
