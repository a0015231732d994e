import { WORK_LIMITS } from '../work-limits.ts';
import type { RecordedToolCall } from './run-capsule.ts';

/** Why a run was stopped before its agent finished. */
export interface Stop {
  readonly kind: 'tools' | 'time' | 'disk' | 'interrupted';
  readonly reason: string;
}

export interface WatchedLimits {
  readonly maxToolOps: number;
  readonly timeoutMs: number;
  readonly diskBytes: number;
}

/** Watches a run. Contract: the caller must call `stop`. */
export interface LimitWatcher {
  /** Aborts as soon as a limit is exceeded. */
  readonly signal: AbortSignal;
  /** Takes the start or the end of a call. Returns whether it is a new call. */
  readonly onTool: (call: RecordedToolCall) => boolean;
  /** Every call once, in the order of their start. */
  readonly trace: () => readonly RecordedToolCall[];
  readonly stop: () => Stop | undefined;
}

/** Watches tool calls, time and disk; exceeding one stops the run immediately. File and delta limits are checked after the run. */
export function startLimitWatcher(
  limits: WatchedLimits,
  writtenBytes: () => number,
  outer: AbortSignal,
): LimitWatcher {
  const controller = new AbortController();
  const calls = new Map<string, RecordedToolCall>();
  let stopped: Stop | undefined;
  const exceed = (kind: Stop['kind'], reason: string): void => {
    if (stopped !== undefined) return;
    stopped = { kind, reason };
    controller.abort();
  };
  const onOuter = (): void => exceed('interrupted', 'Interrupted');
  outer.addEventListener('abort', onOuter, { once: true });
  if (outer.aborted) onOuter();
  const timer = setTimeout(
    () => exceed('time', `Timed out after ${limits.timeoutMs} ms`),
    // A longer timer would fire immediately.
    Math.min(limits.timeoutMs, 2 ** 31 - 1),
  );
  const checkDisk = (): void => {
    const bytes = writtenBytes();
    if (bytes > limits.diskBytes) exceed('disk', `Exceeded max disk bytes: ${bytes} > ${limits.diskBytes}`);
  };
  const disk = setInterval(checkDisk, WORK_LIMITS.watchEveryMs);
  return {
    signal: controller.signal,
    onTool: (call) => {
      const begun = calls.get(call.id);
      // One call over the limit is enough to decide; ignoring the rest bounds the memory.
      if (begun === undefined && calls.size > limits.maxToolOps) return false;
      calls.set(call.id, begun === undefined ? call : finish(begun, call));
      if (calls.size > limits.maxToolOps)
        exceed('tools', `Exceeded max tool ops: ${calls.size} > ${limits.maxToolOps}`);
      return begun === undefined;
    },
    trace: () => [...calls.values()],
    stop: () => {
      clearTimeout(timer);
      clearInterval(disk);
      outer.removeEventListener('abort', onOuter);
      if (stopped === undefined) checkDisk();
      return stopped;
    },
  };
}

/** The event at the end of a call has the result but may lack the name and input. */
function finish(begun: RecordedToolCall, ended: RecordedToolCall): RecordedToolCall {
  return {
    ...ended,
    name: ended.name || begun.name,
    input: begun.input ?? ended.input,
    startTime: begun.startTime,
  };
}
