import { sha256 } from '../../base/digest.ts';
import { excerpt } from '../../base/text.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { ToolCall } from './run-capsule.ts';

/** Keeps a receipt readable: what a tool was given or gave back is told whole while it is short, else by its beginning and its hash. */
export function boundCall(call: ToolCall): ToolCall {
  return {
    ...call,
    input: bound(call.input),
    ...(call.output !== undefined && { output: bound(call.output) }),
    ...(call.error !== undefined && { error: excerpt(call.error, WORK_LIMITS.traceCharacters) }),
  };
}

function bound(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (text.length <= WORK_LIMITS.traceCharacters) return value;
  return {
    begins: excerpt(text, WORK_LIMITS.traceCharacters / 4),
    bytes: Buffer.byteLength(text),
    sha256: sha256(text),
  };
}
