import type { LlmAccountingEntry } from '../accounting-entry.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { computeCost, tokenCounts } from '../accounting/cost.ts';
import type { LlmDelta, LlmFailure, LlmOutcome, LlmRequest, LlmResponse, LlmUsage } from '../llm-port.ts';
import type { Target } from '../session-config.ts';
import { linkAbort, raceAbort } from '../../base/race-abort.ts';
import { CancellationError } from '../cancellation-error.ts';
import type { SessionScope } from './session-scope.ts';

/** A request without its signal and delta listener. */
export type PreparedRequest = Omit<LlmRequest, 'signal' | 'onDelta'>;

interface Attempt {
  readonly request: PreparedRequest;
  readonly finalOnly: boolean;
  /** The response is not a part of the conversation: it is neither shown nor processed as a turn. */
  readonly aside?: Aside;
}

/** A request that is not a part of the conversation: for a summary of earlier turns, or of a tool server. */
export interface Aside {
  /** The estimated size of its prompt; when absent, the size of the prompt of the next turn. */
  readonly promptTokens?: number;
  /** The turn that a request of a tool server counts as. */
  readonly turn?: number;
}

/** Makes one attempt and records it in accounting. A model that sends no data times out, even if the port ignores the signal. */
export async function attemptLlm(
  scope: SessionScope,
  target: Target,
  { request, finalOnly, aside }: Attempt,
): Promise<LlmOutcome> {
  const startedAt = scope.ports.clock.now();
  const { promptTokens = scope.contextGuard.promptTokens, turn } = aside ?? {};
  const child = turn === undefined ? undefined : scope.ids.txnId;
  scope.recorder.requested(unknownOutcome(scope, target, startedAt, promptTokens), { child, turn });
  const startMs = monotonicMs();
  const settle = scope.budget.begin();
  const outcome = await attemptWithTimeout(scope, request, { promptTokens, isAside: aside !== undefined });
  const times = { startedAt, latencyMs: monotonicMs() - startMs };
  const entry = createEntry(scope, target, outcome, times);
  if (child === undefined) scope.ledger.add(entry);
  else scope.ledger.addAside(entry);
  settle({ costUsd: entry.costUsd ?? 0, tokens: entry.tokens.totalTokens });
  if (!outcome.ok || aside !== undefined) scope.recorder.settled(entry, child);
  else scope.recorder.responded(entry, outcome, scope, finalOnly);
  if (!outcome.ok) return outcome;
  emitResponse(scope, outcome, entry);
  return outcome;
}

/** The entry for the case that the process ends before the outcome is known: the provider may charge for the prompt. */
function unknownOutcome(
  scope: SessionScope,
  { provider, model, pricing }: Target,
  startedAt: number,
  promptTokens: number,
): LlmAccountingEntry {
  const usage: LlmUsage = {
    inputTokens: promptTokens,
    outputTokens: 0,
    cacheReadTokens: 0,
    estimated: true,
  };
  const costUsd = computeCost(usage, pricing);
  return {
    type: 'llm',
    provider,
    model,
    status: 'failed',
    latency: 0,
    timestamp: startedAt,
    tokens: tokenCounts(usage),
    ...(costUsd !== undefined && { costUsd }),
    error: 'interrupted with unknown outcome',
    ...scope.ids,
  };
}

async function attemptWithTimeout(
  scope: SessionScope,
  request: PreparedRequest,
  { promptTokens, isAside }: { readonly promptTokens: number; readonly isAside: boolean },
): Promise<LlmOutcome> {
  const { llmTimeoutMs } = scope.config.limits;
  const controller = new AbortController();
  const failed = (failure: LlmFailure): LlmFailure =>
    countReceived(scope, failure, { promptTokens, received });
  const unlink = linkAbort(scope.abortSignal, controller);
  const watchdog = setTimeout(() => controller.abort(new CancellationError('timeout')), llmTimeoutMs);
  let streamedText = '';
  let received: string | undefined;
  const filter = scope.transport.createFilter((channel, text) => {
    streamedText += text;
    scope.emit({ type: 'output.delta', channel, text });
  });
  const onDelta = (delta: LlmDelta): void => {
    if (controller.signal.aborted) return;
    watchdog.refresh();
    received = (received ?? '') + ('text' in delta ? delta.text : '');
    if (isAside) return;
    if (delta.type === 'text') filter.push(delta.text);
    else if (delta.type === 'reasoning') {
      scope.emit({ type: 'output.delta', channel: 'reasoning', text: delta.text });
    }
  };
  try {
    const { signal } = controller;
    const outcome = await raceAbort(scope.ports.llm.attempt({ ...request, signal, onDelta }), signal);
    if (outcome.ok && !isAside) filter.end();
    if (outcome.ok) return normalizeResponse(scope, outcome, promptTokens);
    // The abort reason is more precise than the port's error for a cancelled request.
    return failed(
      signal.aborted ? failureFrom(signal.reason, scope, llmTimeoutMs) : normalizeFailure(outcome),
    );
  } catch (error) {
    return failed(failureFrom(error, scope, llmTimeoutMs));
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
function normalizeResponse(scope: SessionScope, response: LlmResponse, promptTokens: number): LlmResponse {
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
          inputTokens: promptTokens,
          outputTokens: outputTokens(),
          cacheReadTokens: 0,
          estimated: true,
        },
  };
}

/**
 * Estimates the usage of a response that broke after a part of it was received: the provider may charge for it, and an endpoint must not
 * evade the caps with it. A request that was refused costs nothing.
 */
function countReceived(
  { estimate }: SessionScope,
  failure: LlmFailure,
  { promptTokens, received }: { readonly promptTokens: number; readonly received: string | undefined },
): LlmFailure {
  const isRefused = failure.status !== undefined && failure.status >= 400;
  if (failure.usage !== undefined || received === undefined || isRefused) return failure;
  const outputTokens = estimate.text(received);
  return {
    ...failure,
    usage: { inputTokens: promptTokens, outputTokens, cacheReadTokens: 0, estimated: true },
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

function createEntry(
  scope: SessionScope,
  { provider, model, pricing }: Target,
  outcome: LlmOutcome,
  { startedAt, latencyMs }: { startedAt: number; latencyMs: number },
): LlmAccountingEntry {
  const costUsd = (outcome.ok ? outcome.costUsd : undefined) ?? computeCost(outcome.usage, pricing);
  return {
    type: 'llm',
    provider,
    model,
    ...(outcome.ok && outcome.actualProvider !== undefined && { actualProvider: outcome.actualProvider }),
    ...(outcome.ok && outcome.actualModel !== undefined && { actualModel: outcome.actualModel }),
    status: outcome.ok ? 'ok' : 'failed',
    latency: latencyMs,
    timestamp: startedAt,
    tokens: tokenCounts(outcome.usage),
    ...(costUsd !== undefined && { costUsd }),
    ...(outcome.ok && outcome.stopReason !== undefined && { stopReason: outcome.stopReason }),
    ...(!outcome.ok && { error: outcome.message }),
    ...scope.ids,
  };
}

function emitResponse(scope: SessionScope, outcome: LlmResponse, entry: LlmAccountingEntry): void {
  scope.emit({
    type: 'llm.answered',
    provider: entry.provider,
    model: entry.model,
    latencyMs: entry.latency,
    inputTokens: outcome.usage?.inputTokens ?? 0,
    outputTokens: outcome.usage?.outputTokens ?? 0,
    cacheReadTokens: outcome.usage?.cacheReadTokens ?? 0,
    costUsd: entry.costUsd,
    totalCostUsd: scope.ledger.costUsd,
    stopReason: outcome.stopReason,
    toolCalls: outcome.toolCalls.length,
  });
}
