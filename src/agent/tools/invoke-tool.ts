import { errorMessage } from '../../base/error-message.ts';
import type { JsonObject } from '../../base/json.ts';
import { randomId } from '../../base/ids.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { runAfterTool } from '../hooks/run-hooks.ts';
import { answerQuestion } from '../questions/answer-question.ts';
import { linkAbort, raceAbort } from '../../base/race-abort.ts';
import { CancellationError } from '../cancellation-error.ts';
import { sampleModel } from '../sampling/sample-model.ts';
import type { AvailableTool, SessionScope } from '../session/session-scope.ts';
import type { ToolOutcome } from '../tool-host.ts';
import type { CallFailureCode, RequestedCall } from '../transport/transport.ts';

export interface ToolInvocation {
  readonly outcome: ToolOutcome;
  readonly code?: CallFailureCode;
  /** When the call left its queue, and how long it ran; undefined when it was cancelled in the queue and never executed. */
  readonly execution?: Execution;
}

export interface Execution {
  readonly startedAt: number;
  readonly latencyMs: number;
}

/**
 * Calls a tool when its queue has a free slot, and cancels it at its timeout, even if the tool ignores the signal. Never throws. The
 * outcome is settled before the next queued call starts, because its response may exhaust the context.
 */
export async function invokeTool<T>(
  scope: SessionScope,
  tool: AvailableTool,
  args: JsonObject,
  call: RequestedCall,
  settle: (invocation: ToolInvocation) => T,
): Promise<T> {
  const { definition } = tool;
  const { kind } = definition.origin;
  const signals = kind === 'agent' ? [scope.abortSignal] : [scope.abortSignal, scope.stopSignal];
  const controller = new AbortController();
  const unlinks = signals.map((signal) => linkAbort(signal, controller));
  let elapsed = (): Execution | undefined => undefined;
  const work = async (): Promise<T> => {
    // Another response may have exhausted the context while this call was queued.
    if (scope.state.toolBudgetExceeded) return settle(failed('context window budget exceeded'));
    elapsed = startStopwatch(scope.ports.clock.now());
    scope.recorder.callStarted(call, definition.repeatable === true);
    const callTxnId = randomId();
    const { id: callId, name, arguments: text } = call;
    scope.emit({ type: 'tool.started', tool: name, callId, callTxnId, arguments: text });
    const answered = await callWithTimeout(scope, tool, args, { controller, callTxnId, requested: call });
    const outcome = await runAfterTool(scope, { tool: call.name, arguments: args }, answered);
    if (outcome.ok) return settle({ outcome, ...withExecution(elapsed()) });
    // The abort reason is more precise than the error of a cancelled tool; a sub-agent reports its results so far.
    const cancelled = controller.signal.aborted && kind !== 'agent';
    const reason = cancelled ? abortReason(controller.signal) : outcome.reason;
    return settle({ outcome: { ...outcome, reason }, code: codeOf(reason), ...withExecution(elapsed()) });
  };
  try {
    return await (kind === 'mcp' || kind === 'rest'
      ? scope.queues.run(definition.queue ?? 'default', controller.signal, work, (depth) =>
          scope.emit({ type: 'tool.queued', tool: call.name, ...depth }),
        )
      : // A sub-agent in a queue would deadlock with its own tools in the same queue.
        work());
  } catch (error) {
    const reason = controller.signal.aborted ? abortReason(controller.signal) : errorMessage(error);
    return settle({ ...failed(reason), ...withExecution(elapsed()) });
  } finally {
    for (const unlink of unlinks) unlink();
  }
}

/** Measures the time of the execution alone, without the time in the queue. */
function startStopwatch(startedAt: number): () => Execution {
  const startMs = monotonicMs();
  return () => ({ startedAt, latencyMs: monotonicMs() - startMs });
}

function withExecution(execution: Execution | undefined): Pick<ToolInvocation, 'execution'> {
  return execution === undefined ? {} : { execution };
}

function failed(reason: string): ToolInvocation {
  return { outcome: { ok: false, reason }, code: codeOf(reason) };
}

interface Started {
  readonly controller: AbortController;
  readonly callTxnId: string;
  readonly requested: RequestedCall;
}

async function callWithTimeout(
  scope: SessionScope,
  tool: AvailableTool,
  args: JsonObject,
  { controller, callTxnId, requested }: Started,
): Promise<ToolOutcome> {
  const { definition, host } = tool;
  const timeoutMs = definition.timeoutMs ?? scope.config.limits.toolTimeoutMs;
  const timer =
    timeoutMs > 0
      ? setTimeout(() => controller.abort(new CancellationError('timeout')), timeoutMs)
      : undefined;
  const { signal } = controller;
  const { ids } = scope;
  try {
    const call = host.call(definition.name, args, {
      signal,
      stopSignal: scope.stopSignal,
      budget: scope.budget,
      txnId: callTxnId,
      parentTxnId: ids.txnId,
      originTxnId: ids.originTxnId,
      callPath: ids.callPath,
      progress: (message) => scope.emit({ type: 'progress.reported', message }),
      ask: (question) => answerQuestion(scope, requested, tool, question),
      sample: (request) => sampleModel(scope, definition.origin.server, request),
    });
    // An aborted sub-agent returns by itself, and its accounting must be recorded.
    return await (definition.origin.kind === 'agent' ? call : raceAbort(call, signal));
  } finally {
    clearTimeout(timer);
  }
}

function abortReason({ reason }: AbortSignal): string {
  return reason instanceof CancellationError ? reason.message : 'aborted';
}

function codeOf(reason: string): CallFailureCode {
  if (reason === 'timeout' || reason === 'aborted') return reason;
  return reason === 'context window budget exceeded' ? 'budget' : 'failed';
}
