import type { JsonObject } from '../../../base/json.ts';

/** The reply of a tool. Deterministic: the same tree and arguments give the same text, so that a run can be replayed. */
export type ToolReply =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** The context of a tool call. */
export interface ToolContext {
  /** The real path of the tree, as seen by the tools. */
  readonly root: string;
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The maximum size of the reply. */
  readonly maxBytes: number;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
}

/** Contract: rejects with ToolError for errors that the caller can fix. */
export type WorkspaceTool = (args: JsonObject, place: ToolContext) => Promise<string>;

/** Why a tool call failed; the message is sent to the model unchanged. */
export class ToolError extends Error {}

/** Reads a text argument; uses the fallback if it is absent. */
export function textArgument(args: JsonObject, name: string, fallback?: string): string {
  const value = args[name] ?? fallback;
  if (typeof value === 'string') return value;
  throw new ToolError(`${name} must be a string`);
}

/** Reads a numeric argument of at least 1; uses the fallback if it is absent. */
export function countArgument(args: JsonObject, name: string, fallback: number): number {
  const value = args[name] ?? fallback;
  if (typeof value === 'number' && value >= 1) return value;
  throw new ToolError(`${name} must be an integer of at least 1`);
}

/** Truncates text to a number of bytes at a character boundary and appends a notice. */
export function cutText(text: string, maxBytes: number, rest: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(rest) - 1);
  // Remove the replacement character of a truncated character.
  const kept = bytes
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD$/u, '');
  return `${kept}\n${rest}`;
}
