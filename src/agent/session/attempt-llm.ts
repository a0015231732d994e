import { redactText } from '../../base/redact.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import type { Spending } from '../accounting/budget.ts';
import { costOf, tokenCounts } from '../accounting/cost.ts';
import type { LlmDelta, LlmFailure, LlmOutcome, LlmRequest, LlmResponse } from '../llm-port.ts';
import type { Target } from '../session-config.ts';
import { Ending, followSignal, raceAbort } from '../race-abort.ts';
import type { SessionScope } from './session-scope.ts';

/** Everything of a request but how to end it and where its deltas go. */
export type PreparedRequest = Omit<LlmRequest, 'signal' | 'onDelta'>;

/** Makes one attempt and accounts for it. A model that falls silent is a timeout, whether or not the port notices. */
export async function attemptLlm(
  scope: SessionScope,
  target: Target,
  request: PreparedRequest,
): Promise<LlmOutcome> {
  const startedAt = scope.ports.clock.now();
  const began = monotonicMs();
  const settle = scope.budget.begin();
  const outcome = await attemptInTime(scope, request);
  settle(account(scope, target, outcome, { startedAt, latencyMs: monotonicMs() - began }));
  return outcome;
}

async function attemptInTime(scope: SessionScope, request: PreparedRequest): Promise<LlmOutcome> {
  const { llmTimeoutMs } = scope.config.limits;
  const controller = new AbortController();
  const leave = followSignal(scope.hardEnd, controller);
  const watchdog = setTimeout(() => controller.abort(new Ending('timeout')), llmTimeoutMs);
  let shown = '';
  const filter = scope.transport.createFilter((channel, text) => {
    shown += text;
    scope.tell({ type: 'output.delta', channel, text });
  });
  const onDelta = (delta: LlmDelta): void => {
    if (controller.signal.aborted) return;
    watchdog.refresh();
    if (delta.type === 'text') filter.push(delta.text);
    else if (delta.type === 'reasoning') {
      scope.tell({ type: 'output.delta', channel: 'reasoning', text: delta.text });
    }
  };
  try {
    const { signal } = controller;
    const outcome = await raceAbort(scope.ports.llm.attempt({ ...request, signal, onDelta }), signal);
    if (outcome.ok) filter.end();
    if (outcome.ok) return readResponse(scope, outcome);
    // Whatever a port says of a request that we ended, we know better.
    return signal.aborted ? failureFrom(signal.reason, scope, llmTimeoutMs) : readFailure(outcome);
  } catch (error) {
    return failureFrom(error, scope, llmTimeoutMs);
  } finally {
    // Whoever ends a session in the middle of an answer gets what there is of it.
    if (scope.hardEnd.aborted && shown.trim() !== '') scope.state.gatheredText = shown.trim();
    clearTimeout(watchdog);
    leave();
  }
}

/**
 * Half a surrogate pair cannot be written as UTF-8; a provider that got it back would refuse the whole conversation. And a provider that
 * tells no usage must not be a way around the caps.
 */
function readResponse(scope: SessionScope, response: LlmResponse): LlmResponse {
  const text = response.text.toWellFormed();
  const reasoning = response.reasoning.toWellFormed();
  const { usage, toolCalls } = response;
  const told = usage !== undefined && usage.inputTokens + usage.outputTokens + usage.cacheReadTokens > 0;
  const outputTokens = (): number =>
    scope.estimate.message({ role: 'assistant', content: text, reasoning, toolCalls });
  return {
    ...response,
    text,
    reasoning,
    usage: told
      ? usage
      : {
          inputTokens: scope.guard.expectedTokens,
          outputTokens: outputTokens(),
          cacheReadTokens: 0,
          estimated: true,
        },
  };
}

/** Providers like to repeat the key they refuse. And what nobody here aborted was cut off on the way. */
function readFailure(failure: LlmFailure): LlmFailure {
  return {
    ...failure,
    class: failure.class === 'aborted' ? 'network' : failure.class,
    message: redactText(failure.message),
  };
}

function failureFrom(error: unknown, scope: SessionScope, llmTimeoutMs: number): LlmFailure {
  if (scope.hardEnd.aborted) return { ok: false, class: 'aborted', message: 'The session was ended.' };
  if (error instanceof Ending) {
    return { ok: false, class: 'timeout', message: `The model was silent for ${llmTimeoutMs} ms.` };
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
  const costUsd = (outcome.ok ? outcome.costUsd : undefined) ?? costOf(outcome.usage, pricing);
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
  const taken = { costUsd: costUsd ?? 0, tokens: tokens.totalTokens };
  if (!outcome.ok) return taken;
  scope.tell({
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
  return taken;
}
