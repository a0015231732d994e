import { isFinalTurn, type SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import { BATCH } from './batch-definition.ts';
import { runBatch } from './run-batch.ts';
import { createAllowance, runCall } from './run-call.ts';

/** Runs the calls of one response in parallel. Returns one result per call, in the order of the calls. */
export async function runCalls(
  scope: SessionScope,
  calls: readonly RequestedCall[],
): Promise<readonly CallResult[]> {
  const allowance = createAllowance(scope.config.limits.maxToolCallsPerTurn);
  return Promise.all(
    calls
      .map((call, index) => ({ ...call, position: String(index) }))
      .map((call) =>
        call.name === BATCH && scope.config.batch && !isFinalTurn(scope)
          ? runBatch(scope, call, allowance)
          : runCall(scope, call, allowance, scope.transport.renderResult),
      ),
  );
}
