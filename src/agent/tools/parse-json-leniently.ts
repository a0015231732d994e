import { jsonrepair } from 'jsonrepair';
import { isDeeperThan, isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';

/** A parsed value with the names of the repair steps; none for valid JSON. */
export interface LenientJson<T> {
  readonly value: T;
  readonly steps: readonly string[];
}

interface Step {
  readonly name: string;
  readonly apply: (text: string) => string;
}

/** Repair steps in the order in which they are tried; each applies to the result of the previous ones. */
const STEPS: readonly Step[] = [
  { name: 'fence-strip', apply: (text) => /```[\w-]*\n?([\s\S]*?)\n?```/u.exec(text)?.[1] ?? text },
  { name: 'trailing-ellipsis', apply: (text) => text.replace(/(?:\.{3}|…)\s*$/u, '') },
  {
    name: 'hex-escape',
    apply: (text) => text.replaceAll(/\\x([0-9a-fA-F]{2})/gu, String.raw`\u00$1`),
  },
  { name: 'backslash-newline', apply: (text) => text.replaceAll(/\\\r?\n/gu, String.raw`\n`) },
  { name: 'first-object', apply: firstObject },
  { name: 'close-braces', apply: closeBraces },
];

/** Parses an object from JSON that a model wrote; undefined when no repair step helps. */
export function parseObjectLeniently(text: string): LenientJson<JsonObject> | undefined {
  return parseLeniently(text, (value) => isPlainObject(value) && isShallowJson(value)) as
    | LenientJson<JsonObject>
    | undefined;
}

/** Parses an object or an array from JSON that a model wrote. */
export function parseContainerLeniently(text: string): LenientJson<JsonValue> | undefined {
  return parseLeniently(text, (value) => typeof value === 'object' && value !== null && isShallowJson(value));
}

/** Returns whether another object follows the first one, which is all that a repair keeps. */
export function hasFurtherObject(text: string): boolean {
  const first = text.slice(Math.max(text.indexOf('{'), 0));
  const { end } = scanBraces(first);
  return end !== undefined && /^[\s,;]*\{/u.test(first.slice(end));
}

/** Returns whether a value is within the depth limit; deeper values cannot be serialized again. */
export function isShallowJson(value: unknown): boolean {
  return !isDeeperThan(value, LIMITS.inputDepth);
}

/** Returns the first accepted value: parsed unchanged, then repaired, then after each further step. */
function parseLeniently(
  text: string,
  accepts: (value: unknown) => boolean,
): LenientJson<JsonValue> | undefined {
  const steps: string[] = [];
  let current = text;
  for (const step of [undefined, ...STEPS]) {
    if (step !== undefined) {
      const next = step.apply(current);
      if (next === current) continue;
      current = next;
      steps.push(step.name);
    }
    const plain = tryParse(current);
    if (accepts(plain)) return { value: plain as JsonValue, steps };
    const repaired = tryRepair(current);
    if (accepts(repaired)) return { value: repaired as JsonValue, steps: [...steps, 'jsonrepair'] };
  }
  return undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Repairs JSON text. Only text that starts like JSON, because jsonrepair converts lines of prose to an array. */
function tryRepair(text: string): unknown {
  if (!/^\s*[{[]/u.test(text)) return undefined;
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return undefined;
  }
}

/** Extracts the first object up to its matching brace; without a matching brace, everything from the first brace. */
function firstObject(text: string): string {
  const start = text.indexOf('{');
  if (start === -1) return text;
  const { end } = scanBraces(text.slice(start));
  return end === undefined ? text.slice(start) : text.slice(start, start + end);
}

/** Appends missing closing characters: a quote, then braces and brackets from the inside out. */
function closeBraces(text: string): string {
  const { open, inString } = scanBraces(text);
  return text + (inString ? '"' : '') + open.toReversed().join('');
}

/** Scans JSON text; returns the end of its first value and the brackets that are still open. */
function scanBraces(text: string): { end?: number; open: string[]; inString: boolean } {
  const open: string[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '{' || character === '[')) open.push(character === '{' ? '}' : ']');
    else if (!inString && (character === '}' || character === ']')) {
      open.pop();
      if (open.length === 0) return { end: index + 1, open, inString };
    }
  }
  return { open, inString };
}
