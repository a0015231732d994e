import type { ErrorKind, FailureReason, FinalReport } from '../agent-result.ts';
import type { LlmFailure, LlmResponse } from '../llm-port.ts';
import type { Target } from '../session-config.ts';
import { runBeforeModel, runAfterModel } from '../hooks/run-hooks.ts';
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
  | { readonly kind: 'continue'; readonly finalOnly: boolean }
  /** `isUnreachable`: no attempt reached a working provider. */
  | { readonly kind: 'failed'; readonly finalOnly: boolean; readonly isUnreachable: boolean };

/**
 * Runs one turn: tries the targets in order, starting with the first, until a response is usable or `maxRetries` attempts have failed.
 * An unusable response counts as a failed attempt.
 */
export async function runTurn(scope: SessionScope): Promise<TurnOutcome> {
  const { targets, limits } = scope.config;
  const recorded = scope.recorder.takeResponse();
  if (recorded !== undefined) {
    scope.contextGuard.expose({ schemaTokens: recorded.schemaTokens, ephemeralTokens: 0 });
    const end = await processResponse(scope, recorded.response, recorded.finalOnly);
    if (end !== undefined) return end;
  }
  let finalOnly = isFinalTurn(scope);
  let isUnreachable = true;
  for (let attempt = scope.recorder.takeAttempts() + 1; attempt <= limits.maxRetries; attempt += 1) {
    if (scope.abortSignal.aborted) return { kind: 'aborted' };
    const target = targets[(attempt - 1) % targets.length];
    if (target === undefined) break;
    const prepared = prepareRequest(scope, target, attempt);
    ({ finalOnly } = prepared);
    if (finalOnly && isCallerBudgetExhausted(scope)) break;
    const tooSmall = finalOnly ? capBelowFirstRequest(scope) : undefined;
    if (tooSmall !== undefined) return tooSmall;
    const request = await runBeforeModel(scope, target, prepared.request, attempt);
    if ('refuse' in request) return refusedByHook(request.refuse);
    const outcome = await attemptLlm(scope, target, { request, finalOnly });
    if (!outcome.ok) {
      const end = recordFailure(scope, target, outcome);
      if (end !== undefined) return end;
      isUnreachable &&= outcome.class === 'network';
      const backoffMs = scope.backoff.afterFailure({
        limited: outcome.class === 'rate_limit',
        retryAfterMs: outcome.retryAfterMs,
        endsCycle: attempt % targets.length === 0 || attempt === limits.maxRetries,
      });
      const waitMs = isLastRequestOfSession(scope, attempt, finalOnly) ? 0 : backoffMs;
      scope.emit({
        type: 'llm.failed',
        provider: target.provider,
        model: target.model,
        class: outcome.class,
        message: outcome.message,
        waitMs,
      });
      if (waitMs > 0) await scope.ports.sleep(waitMs, AbortSignal.any([scope.abortSignal, scope.stopSignal]));
      // At a cap the final request is not retried, unless it was free.
      if (finalOnly && isCapped(scope) && outcome.usage !== undefined) break;
      continue;
    }
    scope.state.notFound.delete(target);
    const isLast = attempt >= limits.maxRetries || (finalOnly && isCapped(scope));
    const end = await processResponse(scope, outcome, finalOnly, isLast);
    if (end !== undefined) return end;
    isUnreachable = false;
    if (isLast) break;
  }
  return { kind: 'failed', finalOnly, isUnreachable };
}

/** Processes a response; returns undefined when the turn needs another one. */
async function processResponse(
  scope: SessionScope,
  response: LlmResponse,
  finalOnly: boolean,
  isLast = false,
): Promise<TurnOutcome | undefined> {
  recordResponse(scope, response);
  const refusal = await runAfterModel(scope, response);
  const step: ResponseOutcome =
    refusal === undefined
      ? await handleResponse(scope, response, finalOnly)
      : { kind: 'retry', notice: `System notice: your response was rejected: ${refusal}. Answer again.` };
  if (step.kind === 'report' || step.kind === 'waiting') return step;
  if (step.kind === 'continue') return { kind: 'continue', finalOnly };
  scope.state.notice = step.notice;
  scope.recorder.rejected(scope);
  scope.emit({ type: 'llm.rejected', notice: step.notice });
  const follows = isLast ? (finalOnly ? 'no attempt is left' : 'the next turn follows') : 'retrying';
  const reason = step.problem ?? step.notice.replace(/^System notice: /u, '');
  scope.state.lastFailure = step.problem;
  scope.log('WRN', `The response is unusable; ${follows}: ${reason}`, { notice: step.notice });
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
  const { state, contextGuard } = scope;
  for (const warning of response.warnings ?? []) scope.log('WRN', warning);
  scope.backoff.reset();
  state.lastStopReason = response.stopReason;
  state.notice = undefined;
  state.lastFailure = undefined;
  if (response.usage !== undefined) contextGuard.settle(response.usage);
}

/** Records a failed attempt; returns an outcome for failures that must not be retried. */
function recordFailure(scope: SessionScope, target: Target, failure: LlmFailure): TurnOutcome | undefined {
  if (scope.abortSignal.aborted) return { kind: 'aborted' };
  const error = describeFailure(target, failure);
  scope.state.lastFailure = error;
  if (failure.class === 'auth' || failure.class === 'quota') {
    return { kind: 'fatal', error, errorKind: failure.class };
  }
  return recordNotFound(scope, target, failure);
}

/** Names the model, and as far as they are known the address and the status. */
function describeFailure({ provider, model }: Target, { url, status, message }: LlmFailure): string {
  const place = url === undefined ? '' : ` at ${url}`;
  return `${provider}/${model}${place}: ${status === undefined ? '' : `HTTP ${status}: `}${message}`;
}

/** Ends the session when every target has answered that its model does not exist: no further request can succeed. */
function recordNotFound(
  { state, config }: SessionScope,
  target: Target,
  { status, url, message }: LlmFailure,
): TurnOutcome | undefined {
  if (status === 404) state.notFound.add(target);
  else state.notFound.delete(target);
  if (config.targets.some((each) => !state.notFound.has(each))) return undefined;
  const names = config.targets.map(({ provider, model }) => `${provider}/${model}`).join(', ');
  const place = url === undefined ? '' : ` from ${url}`;
  const error = `The provider does not know the model (HTTP 404${place}): ${names}. ${message}`;
  return { kind: 'fatal', error, errorKind: 'session', reason: 'model_not_found' };
}

function isLastRequestOfSession(scope: SessionScope, attempt: number, finalOnly: boolean): boolean {
  return finalOnly && attempt >= scope.config.limits.maxRetries;
}

/** Ends a session whose cap does not allow a single request, not even the final one: it would only exceed the cap. */
function capBelowFirstRequest({ budget, ledger }: SessionScope): TurnOutcome | undefined {
  const cap = ledger.tokens > 0 ? undefined : budget.ownCapReached();
  if (cap === undefined) return undefined;
  const { reason, limit, projected } = cap;
  const error =
    reason === 'max_cost'
      ? `maxCostUsd (${limit}) does not allow a single request: the prompt of the smallest one costs about $${projected.toFixed(6)}.`
      : `maxTotalTokens (${limit}) does not allow a single request: the prompt of the smallest one has about ${projected} tokens.`;
  return { kind: 'fatal', error, errorKind: 'session', reason };
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
