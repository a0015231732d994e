import type { JsonObject } from '../../base/json.ts';
import { randomId } from '../../base/ids.ts';
import { Ending, followSignal, raceAbort } from '../race-abort.ts';
import type { OfferedTool, SessionScope } from '../session/session-scope.ts';
import type { ToolOutcome } from '../tool-host.ts';
import type { CallFailureCode, RequestedCall } from '../transport/transport.ts';

export interface Invocation {
  readonly outcome: ToolOutcome;
  readonly code?: CallFailureCode;
  /** Whether it got as far as the tool; what waited in vain was never executed. */
  readonly started: boolean;
}

/**
 * Calls a tool when its queue has room and ends it when its time is up, whether or not the tool listens. Never throws. The outcome is
 * settled before the next call of the queue begins, because it may be the one that leaves no room for another.
 */
export async function invokeTool<T>(
  scope: SessionScope,
  tool: OfferedTool,
  args: JsonObject,
  call: RequestedCall,
  settle: (invocation: Invocation) => T,
): Promise<T> {
  const { definition } = tool;
  const { kind } = definition.origin;
  const ending = kind === 'agent' ? [scope.hardEnd] : [scope.hardEnd, scope.softEnd];
  const controller = new AbortController();
  const follow = ending.map((signal) => followSignal(signal, controller));
  let started = false;
  const work = async (): Promise<T> => {
    // The place in the queue may have come after another response filled the context.
    if (scope.state.toolBudgetExceeded) return settle(failed('context window budget exceeded', false));
    started = true;
    scope.tell({ type: 'tool.started', tool: call.name, callId: call.id, arguments: call.arguments });
    const outcome = await callInTime(scope, tool, args, controller);
    if (outcome.ok) return settle({ outcome, started });
    // Whatever a tool says that we ended, we know better; an agent tells what it had got.
    const ended = controller.signal.aborted && kind !== 'agent';
    const reason = ended ? abortReason(controller.signal) : outcome.reason;
    return settle({ outcome: { ...outcome, reason }, started, code: codeOf(reason) });
  };
  try {
    return await (kind === 'mcp' || kind === 'rest'
      ? scope.queues.run(definition.queue ?? 'default', controller.signal, work, (depth) =>
          scope.tell({ type: 'tool.queued', tool: call.name, ...depth }),
        )
      : // A sub-agent whose tools wait in the queue it stands in itself would wait for ever.
        work());
  } catch (error) {
    const reason = controller.signal.aborted ? abortReason(controller.signal) : describe(error);
    return settle(failed(reason, started));
  } finally {
    for (const leave of follow) leave();
  }
}

function failed(reason: string, started: boolean): Invocation {
  return { outcome: { ok: false, reason }, code: codeOf(reason), started };
}

async function callInTime(
  scope: SessionScope,
  { definition, host }: OfferedTool,
  args: JsonObject,
  controller: AbortController,
): Promise<ToolOutcome> {
  const timeoutMs = definition.timeoutMs ?? scope.config.limits.toolTimeoutMs;
  const timer =
    timeoutMs > 0 ? setTimeout(() => controller.abort(new Ending('timeout')), timeoutMs) : undefined;
  const { signal } = controller;
  const { ids } = scope;
  try {
    const call = host.call(definition.name, args, {
      signal,
      stopSignal: scope.softEnd,
      budget: scope.budget,
      txnId: randomId(),
      parentTxnId: ids.txnId,
      originTxnId: ids.originTxnId,
      callPath: ids.callPath,
      progress: (message) => scope.tell({ type: 'progress.reported', message }),
    });
    // An agent ends by itself when it is aborted, and what it used must be accounted for.
    return await (definition.origin.kind === 'agent' ? call : raceAbort(call, signal));
  } finally {
    clearTimeout(timer);
  }
}

function abortReason({ reason }: AbortSignal): string {
  return reason instanceof Ending ? reason.message : 'aborted';
}

function codeOf(reason: string): CallFailureCode {
  if (reason === 'timeout' || reason === 'aborted') return reason;
  return reason === 'context window budget exceeded' ? 'budget' : 'failed';
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
