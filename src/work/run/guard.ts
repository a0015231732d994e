import { WORK_LIMITS } from '../work-limits.ts';
import type { ToolCall } from './run-capsule.ts';

/** Why a run was stopped before its agent was done. */
export interface Stop {
  readonly kind: 'tools' | 'time' | 'disk' | 'interrupted';
  readonly reason: string;
}

export interface GuardLimits {
  readonly maxToolOps: number;
  readonly timeoutMs: number;
  readonly diskBytes: number;
}

/** Watches a run. Contract: `end` must be called; after it nothing is watched any more. */
export interface Guard {
  /** Aborts as soon as a limit is passed. */
  readonly signal: AbortSignal;
  readonly onTool: (call: ToolCall) => void;
  /** Every call once, in the order in which they began. */
  readonly trace: () => readonly ToolCall[];
  readonly end: () => Stop | undefined;
}

/** Starts to watch tool calls, time and disk; each stops the run at once. Files and size can fall again and are judged afterwards. */
export function startGuard(limits: GuardLimits, writtenBytes: () => number, outer: AbortSignal): Guard {
  const controller = new AbortController();
  const calls = new Map<string, ToolCall>();
  let stopped: Stop | undefined;
  const stop = (kind: Stop['kind'], reason: string): void => {
    if (stopped !== undefined) return;
    stopped = { kind, reason };
    controller.abort();
  };
  const onOuter = (): void => stop('interrupted', 'Interrupted');
  outer.addEventListener('abort', onOuter, { once: true });
  if (outer.aborted) onOuter();
  const timer = setTimeout(
    () => stop('time', `Timed out after ${limits.timeoutMs} ms`),
    // Beyond this a timer fires at once.
    Math.min(limits.timeoutMs, 2 ** 31 - 1),
  );
  const lookAtDisk = (): void => {
    const bytes = writtenBytes();
    if (bytes > limits.diskBytes) stop('disk', `Exceeded max disk bytes: ${bytes} > ${limits.diskBytes}`);
  };
  const disk = setInterval(lookAtDisk, WORK_LIMITS.guardEveryMs);
  return {
    signal: controller.signal,
    onTool: (call) => {
      const begun = calls.get(call.id);
      // One beyond the limit decides; a flood after it must not fill the memory.
      if (begun === undefined && calls.size > limits.maxToolOps) return;
      calls.set(call.id, begun === undefined ? call : finish(begun, call));
      if (calls.size > limits.maxToolOps)
        stop('tools', `Exceeded max tool ops: ${calls.size} > ${limits.maxToolOps}`);
    },
    trace: () => [...calls.values()],
    end: () => {
      clearTimeout(timer);
      clearInterval(disk);
      outer.removeEventListener('abort', onOuter);
      if (stopped === undefined) lookAtDisk();
      return stopped;
    },
  };
}

/** The end of a call tells its result, not again what it was. */
function finish(begun: ToolCall, ended: ToolCall): ToolCall {
  return {
    ...ended,
    name: ended.name || begun.name,
    input: begun.input ?? ended.input,
    startTime: begun.startTime,
  };
}
