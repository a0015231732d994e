import { redactText } from '../../base/secrets/redact.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import type { Spending } from '../accounting/budget.ts';
import { computeCost, tokenCounts } from '../accounting/cost.ts';
import type { LlmDelta, LlmFailure, LlmOutcome, LlmRequest, LlmResponse } from '../llm-port.ts';
import type { Target } from '../session-config.ts';
import { CancellationError, linkAbort, raceAbort } from '../race-abort.ts';
import type { SessionScope } from './session-scope.ts';

/** A request without its signal and delta listener. */
export type PreparedRequest = Omit<LlmRequest, 'signal' | 'onDelta'>;

/** Makes one attempt and records it in accounting. A model that sends no data times out, even if the port ignores the signal. */
export async function attemptLlm(
  scope: SessionScope,
  target: Target,
  request: PreparedRequest,
): Promise<LlmOutcome> {
  const startedAt = scope.ports.clock.now();
  const startMs = monotonicMs();
  const settle = scope.budget.begin();
  const outcome = await attemptWithTimeout(scope, request);
  settle(account(scope, target, outcome, { startedAt, latencyMs: monotonicMs() - startMs }));
  return outcome;
}

async function attemptWithTimeout(scope: SessionScope, request: PreparedRequest): Promise<LlmOutcome> {
  const { llmTimeoutMs } = scope.config.limits;
  const controller = new AbortController();
  const unlink = linkAbort(scope.abortSignal, controller);
  const watchdog = setTimeout(() => controller.abort(new CancellationError('timeout')), llmTimeoutMs);
  let streamedText = '';
  const filter = scope.transport.createFilter((channel, text) => {
    streamedText += text;
    scope.emit({ type: 'output.delta', channel, text });
  });
  const onDelta = (delta: LlmDelta): void => {
    if (controller.signal.aborted) return;
    watchdog.refresh();
    if (delta.type === 'text') filter.push(delta.text);
    else if (delta.type === 'reasoning') {
      scope.emit({ type: 'output.delta', channel: 'reasoning', text: delta.text });
    }
  };
  try {
    const { signal } = controller;
    const outcome = await raceAbort(scope.ports.llm.attempt({ ...request, signal, onDelta }), signal);
    if (outcome.ok) filter.end();
    if (outcome.ok) return normalizeResponse(scope, outcome);
    // The abort reason is more precise than the port's error for a cancelled request.
    return signal.aborted ? failureFrom(signal.reason, scope, llmTimeoutMs) : normalizeFailure(outcome);
  } catch (error) {
    return failureFrom(error, scope, llmTimeoutMs);
  } finally {
    // A session cancelled in the middle of a response reports the partial text.
    if (scope.abortSignal.aborted && streamedText.trim() !== '') scope.state.lastText = streamedText.trim();
    clearTimeout(watchdog);
    unlink();
  }
}

/**
 * Replaces lone surrogates, which providers reject in later requests, and estimates usage when the provider reports none, so that the
 * caps still apply.
 */
function normalizeResponse(scope: SessionScope, response: LlmResponse): LlmResponse {
  const text = response.text.toWellFormed();
  const reasoning = response.reasoning.toWellFormed();
  const { usage, toolCalls } = response;
  const isReported =
    usage !== undefined && usage.inputTokens + usage.outputTokens + usage.cacheReadTokens > 0;
  const outputTokens = (): number =>
    scope.estimate.message({ role: 'assistant', content: text, reasoning, toolCalls });
  return {
    ...response,
    text,
    reasoning,
    usage: isReported
      ? usage
      : {
          inputTokens: scope.guard.expectedTokens,
          outputTokens: outputTokens(),
          cacheReadTokens: 0,
          estimated: true,
        },
  };
}

/** Redacts the message, because providers often repeat a rejected key. An abort that the session did not request is a network failure. */
function normalizeFailure(failure: LlmFailure): LlmFailure {
  return {
    ...failure,
    class: failure.class === 'aborted' ? 'network' : failure.class,
    message: redactText(failure.message),
  };
}

function failureFrom(error: unknown, scope: SessionScope, llmTimeoutMs: number): LlmFailure {
  if (scope.abortSignal.aborted)
    return { ok: false, class: 'aborted', message: 'The session was cancelled.' };
  if (error instanceof CancellationError) {
    return { ok: false, class: 'timeout', message: `The model sent no data for ${llmTimeoutMs} ms.` };
  }
  return { ok: false, class: 'network', message: redactText(String(error)) };
}

function account(
  scope: SessionScope,
  { provider, model, pricing }: Target,
  outcome: LlmOutcome,
  { startedAt, latencyMs }: { startedAt: number; latencyMs: number },
): Spending {
  const tokens = tokenCounts(outcome.usage);
  const costUsd = (outcome.ok ? outcome.costUsd : undefined) ?? computeCost(outcome.usage, pricing);
  scope.ledger.add({
    type: 'llm',
    provider,
    model,
    ...(outcome.ok && outcome.actualProvider !== undefined && { actualProvider: outcome.actualProvider }),
    ...(outcome.ok && outcome.actualModel !== undefined && { actualModel: outcome.actualModel }),
    status: outcome.ok ? 'ok' : 'failed',
    latency: latencyMs,
    timestamp: startedAt,
    tokens,
    ...(costUsd !== undefined && { costUsd }),
    ...(outcome.ok && outcome.stopReason !== undefined && { stopReason: outcome.stopReason }),
    ...(!outcome.ok && { error: outcome.message }),
    ...scope.ids,
  });
  const spending = { costUsd: costUsd ?? 0, tokens: tokens.totalTokens };
  if (!outcome.ok) return spending;
  scope.emit({
    type: 'llm.answered',
    provider,
    model,
    latencyMs,
    inputTokens: outcome.usage?.inputTokens ?? 0,
    outputTokens: outcome.usage?.outputTokens ?? 0,
    cacheReadTokens: outcome.usage?.cacheReadTokens ?? 0,
    costUsd,
    totalCostUsd: scope.ledger.costUsd,
    stopReason: outcome.stopReason,
    toolCalls: outcome.toolCalls.length,
  });
  return spending;
}
