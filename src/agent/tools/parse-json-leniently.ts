import { jsonrepair } from 'jsonrepair';
import { isDeeperThan, isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';

/** A value with the names of the steps that were needed to read it; none for sound JSON. */
export interface LenientJson<T> {
  readonly value: T;
  readonly steps: readonly string[];
}

interface Step {
  readonly name: string;
  readonly apply: (text: string) => string;
}

/** In the order in which they are tried; each builds on those before it. */
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

/** Reads an object from text that a model wrote as JSON; nothing when no step helps. */
export function parseObjectLeniently(text: string): LenientJson<JsonObject> | undefined {
  return parseLeniently(text, (value) => isPlainObject(value) && isShallow(value)) as
    | LenientJson<JsonObject>
    | undefined;
}

/** Reads an object or an array from text that a model wrote as JSON. */
export function parseContainerLeniently(text: string): LenientJson<JsonValue> | undefined {
  return parseLeniently(text, (value) => typeof value === 'object' && value !== null && isShallow(value));
}

/** What is nested without end is no argument of anything, and nobody could write it down again. */
export function isShallow(value: unknown): boolean {
  return !isDeeperThan(value, LIMITS.inputDepth);
}

/** Reads the first value that is accepted: as it is, then repaired, then after each further step. */
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

/** Lines of prose are not JSON, though the library would make a list of them: what it may repair must begin as JSON does. */
function tryRepair(text: string): unknown {
  if (!/^\s*[{[]/u.test(text)) return undefined;
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return undefined;
  }
}

/** Cuts out the first object with its matching brace; without one, everything from the first brace on. */
function firstObject(text: string): string {
  const start = text.indexOf('{');
  if (start === -1) return text;
  const { end } = scanBraces(text.slice(start));
  return end === undefined ? text.slice(start) : text.slice(start, start + end);
}

/** Appends what is missing at the end: a quote, then braces and brackets from the inside out. */
function closeBraces(text: string): string {
  const { open, inText } = scanBraces(text);
  return text + (inText ? '"' : '') + open.toReversed().join('');
}

/** Walks over JSON text: where its first value ends, and what is open at the end. */
function scanBraces(text: string): { end?: number; open: string[]; inText: boolean } {
  const open: string[] = [];
  let inText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '"') inText = !inText;
    else if (!inText && (character === '{' || character === '[')) open.push(character === '{' ? '}' : ']');
    else if (!inText && (character === '}' || character === ']')) {
      open.pop();
      if (open.length === 0) return { end: index + 1, open, inText };
    }
  }
  return { open, inText };
}
