import type { ErrorKind, FailureReason, FinalReport } from '../agent-result.ts';
import type { LlmFailure, LlmResponse } from '../llm-port.ts';
import type { Target } from '../session-config.ts';
import { hookRequest, hookResponse } from '../hooks/run-hooks.ts';
import { attemptLlm } from './attempt-llm.ts';
import { prepareRequest } from './prepare-request.ts';
import { isFinalTurn, type SessionScope } from './session-scope.ts';
import { handleResponse, type ResponseOutcome } from './handle-response.ts';

/** The outcome of a turn. `failed`: all its attempts failed. */
export type TurnOutcome =
  | { readonly kind: 'report'; readonly report: FinalReport }
  | {
      readonly kind: 'fatal';
      readonly error: string;
      readonly errorKind: ErrorKind;
      readonly reason?: FailureReason;
    }
  | { readonly kind: 'aborted' }
  /** A person must decide on a tool call. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'continue' | 'failed'; readonly finalOnly: boolean };

/**
 * Runs one turn: tries the targets in order, starting with the first, until a response is usable or `maxRetries` attempts have failed.
 * An unusable response counts as a failed attempt.
 */
export async function runTurn(scope: SessionScope): Promise<TurnOutcome> {
  const { targets, limits } = scope.config;
  const recorded = scope.recorder.takeAnswer();
  if (recorded !== undefined) {
    scope.guard.expose({ schemaTokens: recorded.schemaTokens, ephemeralTokens: 0 });
    const end = await processResponse(scope, recorded.response, recorded.finalOnly);
    if (end !== undefined) return end;
  }
  let finalOnly = isFinalTurn(scope);
  for (let attempt = scope.recorder.takeAttempts() + 1; attempt <= limits.maxRetries; attempt += 1) {
    if (scope.abortSignal.aborted) return { kind: 'aborted' };
    const target = targets[(attempt - 1) % targets.length];
    if (target === undefined) break;
    const prepared = prepareRequest(scope, target, attempt);
    ({ finalOnly } = prepared);
    if (finalOnly && isCallerBudgetExhausted(scope)) break;
    const request = await hookRequest(scope, target, prepared.request, attempt);
    if ('refuse' in request) return refusedByHook(request.refuse);
    const outcome = await attemptLlm(scope, target, { request, finalOnly });
    if (!outcome.ok) {
      const end = recordFailure(scope, target, outcome);
      if (end !== undefined) return end;
      const backoffMs = scope.backoff.afterFailure({
        limited: outcome.class === 'rate_limit',
        retryAfterMs: outcome.retryAfterMs,
        endsCycle: attempt % targets.length === 0 || attempt === limits.maxRetries,
      });
      const waitMs = isLastAttempt(scope, attempt, finalOnly) ? 0 : backoffMs;
      scope.emit({
        type: 'llm.failed',
        provider: target.provider,
        model: target.model,
        class: outcome.class,
        message: outcome.message,
        waitMs,
      });
      if (waitMs > 0) await scope.ports.sleep(waitMs, AbortSignal.any([scope.abortSignal, scope.stopSignal]));
      continue;
    }
    scope.state.notFound.delete(target);
    const end = await processResponse(scope, outcome, finalOnly);
    if (end !== undefined) return end;
    // At a cap the final request is not retried.
    if (finalOnly && isCapped(scope)) break;
  }
  return { kind: 'failed', finalOnly };
}

/** Processes a response; returns undefined when the turn needs another one. */
async function processResponse(
  scope: SessionScope,
  response: LlmResponse,
  finalOnly: boolean,
): Promise<TurnOutcome | undefined> {
  recordResponse(scope, response);
  const refusal = await hookResponse(scope, response);
  const step: ResponseOutcome =
    refusal === undefined
      ? await handleResponse(scope, response, finalOnly)
      : { kind: 'retry', notice: `System notice: your response was rejected: ${refusal}. Answer again.` };
  if (step.kind === 'report' || step.kind === 'waiting') return step;
  if (step.kind === 'continue') return { kind: 'continue', finalOnly };
  scope.state.notice = step.notice;
  scope.recorder.rejected(scope);
  scope.emit({ type: 'llm.rejected', notice: step.notice });
  scope.log('WRN', 'The response is unusable; retrying.', { notice: step.notice });
  return undefined;
}

function refusedByHook(reason: string): TurnOutcome {
  return {
    kind: 'fatal',
    error: `A request was refused: ${reason}`,
    errorKind: 'session',
    reason: 'refused',
  };
}

function recordResponse(scope: SessionScope, response: LlmResponse): void {
  const { state, guard } = scope;
  for (const warning of response.warnings ?? []) scope.log('WRN', warning);
  scope.backoff.reset();
  state.lastStopReason = response.stopReason;
  state.notice = undefined;
  state.lastFailure = undefined;
  if (response.usage !== undefined) guard.settle(response.usage);
}

/** Records a failed attempt; returns an outcome for failures that must not be retried. */
function recordFailure(scope: SessionScope, target: Target, failure: LlmFailure): TurnOutcome | undefined {
  if (scope.abortSignal.aborted) return { kind: 'aborted' };
  scope.state.lastFailure = failure.message;
  if (failure.class === 'auth' || failure.class === 'quota') {
    return { kind: 'fatal', error: failure.message, errorKind: failure.class };
  }
  return recordNotFound(scope, target, failure);
}

/** Ends the session when every target has answered that its model does not exist: no further request can succeed. */
function recordNotFound(
  { state, config }: SessionScope,
  target: Target,
  { status, message }: LlmFailure,
): TurnOutcome | undefined {
  if (status === 404) state.notFound.add(target);
  else state.notFound.delete(target);
  if (config.targets.some((each) => !state.notFound.has(each))) return undefined;
  const names = config.targets.map(({ provider, model }) => `${provider}/${model}`).join(', ');
  const error = `The provider does not know the model (HTTP 404): ${names}. ${message}`;
  return { kind: 'fatal', error, errorKind: 'session', reason: 'model_not_found' };
}

function isLastAttempt(scope: SessionScope, attempt: number, finalOnly: boolean): boolean {
  return finalOnly && attempt >= scope.config.limits.maxRetries;
}

/** Returns whether the caller's budget is exhausted: then a sub-agent gets no final turn. */
function isCallerBudgetExhausted({ budget, state }: SessionScope): boolean {
  const cap = budget.callerCapReached();
  if (cap === undefined) return false;
  state.forcedFinal ??= cap.reason;
  state.lastFailure = "the caller's budget is exhausted";
  return true;
}

function isCapped({ state }: SessionScope): boolean {
  return state.forcedFinal === 'max_cost' || state.forcedFinal === 'max_tokens';
}
