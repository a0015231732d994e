import { isPlainObject, type JsonValue } from '../../base/json.ts';
import { parseContainerLeniently } from '../tools/parse-json-leniently.ts';
import type { ErrorObject, SchemaCheck } from '../tools/schema-checks.ts';

const MAX_PASSES = 4;

export interface RepairedContent {
  readonly value: JsonValue;
  readonly problems: readonly ErrorObject[];
  /** Paths where a string was parsed as JSON. */
  readonly steps: readonly string[];
}

/**
 * Parses strings that contain JSON where the schema requires another type, because models often stringify nested JSON. Each pass
 * handles one more level.
 */
export function repairContent(content: JsonValue, check: SchemaCheck): RepairedContent {
  let value = content;
  const steps: string[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const problems = check(value);
    if (problems.length === 0) return { value, problems, steps };
    const paths = [...new Set(problems.map(({ instancePath }) => instancePath))];
    const before = steps.length;
    for (const path of paths) {
      const parsed = parseAt(value, path);
      if (parsed === undefined) continue;
      value = replaceAt(value, splitPath(path), parsed);
      steps.push(`parsed-text ${path === '' ? '/' : path}`);
    }
    if (steps.length === before) return { value, problems, steps };
  }
  return { value, problems: check(value), steps };
}

function parseAt(root: JsonValue, path: string): JsonValue | undefined {
  let current: unknown = root;
  for (const key of splitPath(path)) {
    current = (current as Record<string, unknown> | undefined)?.[key];
  }
  if (typeof current !== 'string') return undefined;
  const container = parseContainerLeniently(current)?.value;
  if (container !== undefined) return container;
  return /^\s*(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*$/u.test(current)
    ? (JSON.parse(current) as JsonValue)
    : undefined;
}

function replaceAt(root: JsonValue, path: readonly string[], replacement: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (Array.isArray(root)) {
    return root.map((item: JsonValue, index) =>
      String(index) === key ? replaceAt(item, rest, replacement) : item,
    );
  }
  if (!isPlainObject(root)) return root;
  return { ...root, [key]: replaceAt(root[key] ?? null, rest, replacement) };
}

/** Parses a JSON pointer. */
function splitPath(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
