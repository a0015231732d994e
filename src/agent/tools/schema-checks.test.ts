import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { outputValidator } from './output-validator.ts';
import { schemaChecks, SchemaChecks } from './schema-checks.ts';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

const HOSTILE_TEXT = `${'a'.repeat(40)}!`;
const withPattern = (pattern: string): JsonObject => ({
  type: 'object',
  properties: { x: { type: 'string', pattern } },
});
const isValid = (schema: JsonObject, value: unknown): boolean =>
  schemaChecks.compile(schema)(value).length === 0;

/** Runs an action and returns the processor time that it needs: on a busy machine it takes longer. */
function time(action: () => unknown): number {
  const start = cpuTimeMs();
  action();
  return cpuTimeMs() - start;
}

describe('a pattern of a tool schema', () => {
  it.each(['(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    'that backtracks exponentially is evaluated in linear time: %s',
    (pattern) => {
      const schema = withPattern(pattern);
      expect(time(() => isValid(schema, { x: HOSTILE_TEXT }))).toBeLessThan(1000);
      const long = { x: 'a'.repeat(20_000) };
      expect(time(() => isValid(schema, long))).toBeLessThan(5000);
      const byName = { type: 'object', patternProperties: { [pattern]: { type: 'string' } } };
      expect(time(() => isValid(byName, { [HOSTILE_TEXT]: 1 }))).toBeLessThan(1000);
      const validate = outputValidator.getValidator(schema);
      expect(time(() => validate({ x: HOSTILE_TEXT }))).toBeLessThan(1000);
    },
  );

  it.each([
    ['^[a-z]+$', 'abc', 'ABC'],
    ['^\\d{3}-\\d{4}$', '555-1234', '5551234'],
    ['[\\w-.]', 'a', ' '],
    ['^\\u00e9$', 'é', 'e'],
    ['^(?<year>\\d{4})$', '2026', '26'],
    ['^[^/]+$', 'x', 'a/b'],
    ['^$|^x', '', 'y'],
  ])('is enforced: %s', (pattern, good, bad) => {
    expect([isValid(withPattern(pattern), { x: good }), isValid(withPattern(pattern), { x: bad })]).toEqual([
      true,
      false,
    ]);
  });

  it.each(['^(?!x).*$', '^(a)\\1$', '(', 'a{5000}'])(
    'that the engine does not support is not enforced: %s',
    (pattern) => {
      expect(isValid(withPattern(pattern), { x: 'anything' })).toBe(true);
    },
  );
});

describe('a tool schema', () => {
  const nested = (depth: number): JsonObject => {
    let schema: JsonObject = { type: 'string' };
    for (let level = 0; level < depth; level += 1) schema = { properties: { x: schema } };
    return schema;
  };

  it('that is nested too deeply is rejected', () => {
    expect(() => schemaChecks.assertSchema(nested(50_000))).toThrow('more than 64 levels');
    expect(() => schemaChecks.compile(nested(50_000))).toThrow('more than 64 levels');
    expect(() => schemaChecks.assertSchema(nested(20))).not.toThrow();
  });

  it('that is too large is rejected', () => {
    const schema = { enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) };
    expect(() => schemaChecks.assertSchema(schema)).toThrow('the limit is 524288');
  });

  /** Each of its definitions refers to the next one twice. */
  const doubling = (keyword: 'allOf' | 'anyOf'): JsonObject => {
    const levels = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/a${level + 1}` };
      return [`a${level}`, { [keyword]: [{ allOf: [next] }, { allOf: [next] }] }];
    });
    const $defs = { ...Object.fromEntries(levels), a40: { const: 'never' } } as JsonObject;
    return { type: 'object', properties: { x: { $ref: '#/$defs/a0' } }, $defs };
  };
  const objects = Array.from({ length: 20_000 }, (_, index) => ({ index }));

  it('that was aborted does not affect the next one', () => {
    const checks = new SchemaChecks(2);
    const messages = Array.from({ length: 10 }, (_, index) => {
      try {
        checks.compile({ type: 'object', title: `schema ${index}` });
        return 'compiled';
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(messages[0]).toMatch(/takes more than/u);
    for (const message of messages) expect(message).toMatch(/^compiled$|takes more than/u);
  });

  it.each<[string, JsonObject, unknown]>([
    ['allOf in allOf', doubling('allOf'), { x: 1 }],
    ['allOf in anyOf', doubling('anyOf'), { x: 1 }],
    [
      'many values',
      { items: { enum: objects.slice(0, 1000) } },
      Array.from({ length: 40_000 }, () => ({ x: 1 })),
    ],
    ['uniqueItems', { type: 'array', uniqueItems: true }, objects],
  ])('that takes too long to check is aborted: %s', (_what, schema, value) => {
    const checks = new SchemaChecks(100);
    const took = time(() => expect(() => checks.compile(schema)(value)).toThrow('takes more than 0.1 sec'));
    expect(took).toBeLessThan(10_000);
    expect(schemaChecks.compile({ type: 'object' })(1)).toHaveLength(1);
  });
});
