import { sha256 } from '../../system/digest.ts';
import { excerpt } from '../../base/text.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { RecordedToolCall } from './run-capsule.ts';

/** Truncates long inputs and outputs of a tool call to their beginning and their hash, to keep the receipt readable. */
export function truncateCall(call: RecordedToolCall): RecordedToolCall {
  return {
    ...call,
    input: truncate(call.input),
    ...(call.output !== undefined && { output: truncate(call.output) }),
    ...(call.error !== undefined && { error: excerpt(call.error, WORK_LIMITS.traceCharacters) }),
  };
}

function truncate(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (text.length <= WORK_LIMITS.traceCharacters) return value;
  return {
    begins: excerpt(text, WORK_LIMITS.traceCharacters / 4),
    bytes: Buffer.byteLength(text),
    sha256: sha256(text),
  };
}
