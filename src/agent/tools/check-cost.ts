import type { JsonObject } from '../../base/json.ts';

/** Keywords that can make a check slower than the product of the sizes of schema and value. */
const COSTLY_KEYWORDS = /"(?:\$ref|\$dynamicRef|\$recursiveRef|uniqueItems|pattern|patternProperties)"/u;
const MAX_SCHEMA_CHARACTERS = 16 * 1024;
const MAX_VALUE_SIZE = 64 * 1024;

/** Returns whether checks against a schema take time in proportion to the value, and few steps for each part of it. */
export function isCheapSchema(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return text.length <= MAX_SCHEMA_CHARACTERS && !COSTLY_KEYWORDS.test(text);
}

/** Returns whether a value is small. It counts characters and members, and stops at the limit. */
export function isSmallValue(value: unknown): boolean {
  let left = MAX_VALUE_SIZE;
  const waiting = [value];
  while (waiting.length > 0 && left > 0) {
    const each = waiting.pop();
    left -= 1;
    if (typeof each === 'string') left -= each.length;
    if (typeof each !== 'object' || each === null) continue;
    for (const [key, member] of Object.entries(each)) {
      left -= key.length;
      waiting.push(member);
    }
  }
  return left > 0;
}
