import type { JsonObject } from '../../../base/json.ts';

/** What a tool of the workspace answers. Deterministic: the same tree and arguments give the same text, so that a run can be replayed. */
export type ToolReply =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Where tools work. */
export interface ToolPlace {
  /** The real path of the tree as tools see it. */
  readonly root: string;
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** How long a text may be. */
  readonly maxBytes: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Contract: rejects with ToolRefusal for whatever the caller can put right. */
export type WorkspaceTool = (args: JsonObject, place: ToolPlace) => Promise<string>;

/** Why a tool did not do what it was asked; said to the model as it is. */
export class ToolRefusal extends Error {}

/** Reads an argument that must be text; the fallback stands for one that is absent. */
export function textOf(args: JsonObject, name: string, fallback?: string): string {
  const value = args[name] ?? fallback;
  if (typeof value === 'string') return value;
  throw new ToolRefusal(`${name} must be text`);
}

/** Reads an argument that must be a number from 1; the fallback stands for one that is absent. */
export function countOf(args: JsonObject, name: string, fallback: number): number {
  const value = args[name] ?? fallback;
  if (typeof value === 'number' && value >= 1) return value;
  throw new ToolRefusal(`${name} must be a number from 1`);
}

/** Cuts a text to a number of bytes, never through a character, and says what is left out. */
export function cutText(text: string, maxBytes: number, rest: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(rest) - 1);
  // A character that was cut in two becomes a mark, which goes too.
  const kept = bytes
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD$/u, '');
  return `${kept}\n${rest}`;
}
