import type { ErrorKind, FinalReport } from '../agent-result.ts';
import type { LlmFailure, LlmResponse } from '../llm-port.ts';
import { attemptLlm } from './attempt-llm.ts';
import { prepareRequest } from './prepare-request.ts';
import { isFinalTurn, type SessionScope } from './session-scope.ts';
import { takeAnswer } from './take-answer.ts';

/** How a turn ended. `failed`: its attempts ran out. */
export type TurnEnd =
  | { readonly kind: 'report'; readonly report: FinalReport }
  | { readonly kind: 'fatal'; readonly error: string; readonly errorKind: ErrorKind }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'continue' | 'failed'; readonly finalOnly: boolean };

/**
 * Runs one turn: attempts go through the targets in order, from the first one, until an answer can be taken or `maxRetries` attempts
 * are spent. An answer that cannot be taken is an attempt like a request that failed.
 */
export async function runTurn(scope: SessionScope): Promise<TurnEnd> {
  const { targets, limits } = scope.config;
  let finalOnly = isFinalTurn(scope);
  for (let attempt = 1; attempt <= limits.maxRetries; attempt += 1) {
    if (scope.hardEnd.aborted) return { kind: 'aborted' };
    const target = targets[(attempt - 1) % targets.length];
    if (target === undefined) break;
    const prepared = prepareRequest(scope, target, attempt);
    ({ finalOnly } = prepared);
    if (finalOnly && callerIsSpent(scope)) break;
    const outcome = await attemptLlm(scope, target, prepared.request);
    if (!outcome.ok) {
      const end = failedAttempt(scope, outcome);
      if (end !== undefined) return end;
      const asked = scope.waits.afterFailure({
        limited: outcome.class === 'rate_limit',
        retryAfterMs: outcome.retryAfterMs,
        endsCycle: attempt % targets.length === 0 || attempt === limits.maxRetries,
      });
      const waitMs = isLastAttempt(scope, attempt, finalOnly) ? 0 : asked;
      scope.tell({
        type: 'llm.failed',
        provider: target.provider,
        model: target.model,
        class: outcome.class,
        message: outcome.message,
        waitMs,
      });
      if (waitMs > 0) await scope.ports.sleep(waitMs, AbortSignal.any([scope.hardEnd, scope.softEnd]));
      continue;
    }
    settle(scope, outcome);
    const step = await takeAnswer(scope, outcome, finalOnly);
    if (step.kind === 'report') return step;
    if (step.kind === 'continue') return { kind: 'continue', finalOnly };
    scope.state.notice = step.notice;
    scope.log('WRN', 'The answer cannot be used; it is asked for again.', { notice: step.notice });
    // At a cap the last answer is paid for once.
    if (finalOnly && isCapped(scope)) break;
  }
  return { kind: 'failed', finalOnly };
}

function settle(scope: SessionScope, response: LlmResponse): void {
  const { state, guard } = scope;
  scope.waits.reset();
  state.lastStopReason = response.stopReason;
  state.notice = undefined;
  state.lastFailure = undefined;
  if (response.usage !== undefined) guard.settle(response.usage);
}

/** Some failures end the session at once: no other attempt can help. */
function failedAttempt(scope: SessionScope, failure: LlmFailure): TurnEnd | undefined {
  if (scope.hardEnd.aborted) return { kind: 'aborted' };
  scope.state.lastFailure = failure.message;
  if (failure.class === 'auth' || failure.class === 'quota') {
    return { kind: 'fatal', error: failure.message, errorKind: failure.class };
  }
  return undefined;
}

function isLastAttempt(scope: SessionScope, attempt: number, finalOnly: boolean): boolean {
  return finalOnly && attempt >= scope.config.limits.maxRetries;
}

/** A sub-agent has its last word only as far as its callers can pay for it. */
function callerIsSpent({ budget, state }: SessionScope): boolean {
  const cap = budget.exhausted();
  if (cap === undefined) return false;
  state.forcedFinal ??= cap.reason;
  state.lastFailure = 'no request could be made any more within the caps of the caller';
  return true;
}

function isCapped({ state }: SessionScope): boolean {
  return state.forcedFinal === 'max_cost' || state.forcedFinal === 'max_tokens';
}
