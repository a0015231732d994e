import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import type { AccountingEntry } from '../accounting-entry.ts';
import type { SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import { BATCH } from './batch-definition.ts';
import { budgetStub, commitResult, rejectCall, reportRefusal, resultTokens } from './execute-call.ts';
import { parseArguments, runCall, type Allowance } from './run-call.ts';

interface InnerCall {
  readonly id: string;
  readonly tool: string;
  readonly parameters: JsonObject;
}

/** Runs the calls of a batch. Each call is truncated, budgeted and accounted individually; the combined result is never truncated. */
export async function runBatch(
  scope: SessionScope,
  call: RequestedCall,
  allowance: Allowance,
): Promise<CallResult> {
  const startedAt = scope.ports.clock.now();
  const startMs = monotonicMs();
  const { renderResult } = scope.transport;
  const reservation = scope.contextGuard.reserve(resultTokens(scope, renderResult(budgetStub(call))));
  const inner = readCalls(scope, call);
  if (typeof inner === 'string') {
    const rejected = rejectCall(call, 'invalid_arguments', inner);
    reportRefusal(scope, rejected);
    return commitResult(scope, rejected, reservation, renderResult).result;
  }
  const releases: (() => void)[] = [];
  const results = await Promise.all(
    inner.map(({ id, tool, parameters }, index) =>
      runCall(
        scope,
        {
          id,
          name: tool,
          arguments: JSON.stringify(parameters),
          source: call.source,
          position: `${call.position}.${index}`,
        },
        allowance,
        // Counts tokens of the form used in the combined result, including escapes and fields.
        (result) => JSON.stringify(renderInner(result)),
        (release) => releases.push(release),
      ),
    ),
  );
  const text = JSON.stringify({ results: results.map(renderInner) });
  const whole: CallResult = { call, ok: true, text, latencyMs: monotonicMs() - startMs };
  // Synchronous: no other call can reserve tokens between releasing the parts and committing the whole.
  for (const release of releases) release();
  const { result, dropped } = commitResult(scope, whole, reservation, renderResult);
  const entry: AccountingEntry = {
    type: 'tool',
    mcpServer: 'agent',
    command: BATCH,
    status: result.ok ? 'ok' : 'failed',
    latency: whole.latencyMs,
    timestamp: startedAt,
    charactersIn: call.arguments.length,
    charactersOut: result.text.length,
    ...(call.source === 'xml' && { source: 'xml' }),
    ...dropped,
    ...scope.ids,
  };
  scope.ledger.add(entry);
  scope.recorder.note(entry);
  return result;
}

function readCalls(scope: SessionScope, call: RequestedCall): readonly InnerCall[] | string {
  const args = parseArguments(scope, call);
  if (typeof args === 'string') return args;
  const { calls } = args;
  if (!Array.isArray(calls) || calls.length === 0) return 'calls must be an array of {id, tool, parameters}';
  const inner: InnerCall[] = [];
  for (const [index, item] of calls.entries()) {
    if (!isPlainObject(item) || typeof item['tool'] !== 'string') return `call ${index + 1} has no tool name`;
    if (item['tool'] === BATCH || item['tool'] === FINAL_REPORT) {
      return `${item['tool']} cannot be called in a batch`;
    }
    const { id, tool, parameters = {} } = item;
    if (!isPlainObject(parameters)) return `the parameters of call ${index + 1} are not an object`;
    inner.push({
      id: typeof id === 'string' ? id : String(index + 1),
      tool,
      parameters: parameters as JsonObject,
    });
  }
  return inner;
}

function renderInner({ call, ok, text, latencyMs, code }: CallResult): JsonObject {
  const shared = { id: call.id, tool: call.name, ok, elapsedMs: Math.round(latencyMs) };
  return ok ? { ...shared, output: text } : { ...shared, error: { code: code ?? 'failed', message: text } };
}
