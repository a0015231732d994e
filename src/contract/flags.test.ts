import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/fixtures/any-text.ts';
import { Fault } from '../base/fault.ts';
import { parseFlags, readPlural, parseFlagValue } from './flags.ts';
import type { Parameter } from './command-parameters.ts';

const parameter = (name: string, type: Parameter['type'], more: Partial<Parameter> = {}): Parameter => ({
  name,
  flag: `--${name}`,
  type,
  required: false,
  multiple: false,
  description: '',
  ...more,
});
const ids = parameter('ids', 'string', { multiple: true });
const PARAMETERS = [
  parameter('name', 'string'),
  parameter('count', 'integer'),
  parameter('ratio', 'number'),
  parameter('on', 'boolean'),
  parameter('kind', 'enum', { allowed: ['a', 'b'] }),
  parameter('data', 'json'),
  ids,
  parameter('id', 'string', { multiple: true, aliasOf: 'ids', deprecated: true }),
];
const parse = (...argv: string[]) => parseFlags(argv, PARAMETERS);

test('flags of every type are parsed, with a space or an equals sign', () => {
  const expected = { name: 'x', count: -5, ratio: 0.5, on: true, kind: 'a', data: { a: [1] } };
  expect(
    parse('--name', 'x', '--count', '-5', '--ratio', '.5', '--on', '--kind', 'a', '--data', '{"a":[1]}')
      .values,
  ).toEqual(expected);
  expect(
    parse('--name=x', '--count=-5', '--ratio=5e-1', '--on=true', '--kind=a', '--data={"a":[1]}').values,
  ).toEqual(expected);
});

test('a value can be empty, contain an equals sign, or be a single dash; a value that starts with dashes needs the equals sign', () => {
  expect(parse('--name', '').values).toEqual({ name: '' });
  expect(parse('--name=a=b').values).toEqual({ name: 'a=b' });
  expect(parse('--name', '-').values).toEqual({ name: '-' });
  expect(parse('--name=--on').values).toEqual({ name: '--on' });
  expect(() => parse('--name', '--on')).toThrow(expect.objectContaining({ code: 'E_USAGE' }));
});

test('a boolean consumes the next word only if it is true or false', () => {
  expect(parse('--on', 'false', 'rest')).toEqual({ values: { on: false }, positionals: ['rest'] });
  expect(parse('--on', 'maybe')).toEqual({ values: { on: true }, positionals: ['maybe'] });
});

test('everything after -- is positional', () => {
  expect(parse('a', '--', '--name', '-x', '--')).toEqual({
    values: {},
    positionals: ['a', '--name', '-x', '--'],
  });
});

test('commas and repeats of a plural flag give one array of distinct values in order', () => {
  const groups = fc.array(
    fc.tuple(
      fc.constantFrom('--ids', '--id'),
      fc.array(fc.stringMatching(/^[a-c ]{0,3}$/u), { minLength: 1 }),
    ),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(groups, (lists) => {
      const argv = lists.map(([flag, list]) => `${flag}=${list.join(',')}`);
      const parts = lists.flatMap(([, list]) => list).map((text) => text.trim());
      const expected = [...new Set(parts.filter((text) => text !== ''))];
      expect(parse(...argv).values.ids).toEqual(expected);
      expect(readPlural([expected.join(',')], ids)).toEqual(expected);
    }),
  );
});

test('numbers are parsed exactly or rejected', () => {
  const count = parameter('count', 'integer');
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      fc.pre(Math.abs(number) < 1e15);
      expect(parseFlagValue(String(number), count)).toBe(number);
    }),
  );
  for (const text of [
    '',
    ' ',
    '1.0',
    '1e3',
    '0x10',
    '1_000',
    '١',
    '9'.repeat(16),
    'NaN',
    'Infinity',
    '--5',
  ]) {
    expect(() => parseFlagValue(text, count)).toThrow(expect.objectContaining({ code: 'E_VALIDATION' }));
  }
});

test('invalid or too deeply nested JSON is rejected without showing it', () => {
  const data = parameter('data', 'json');
  for (const text of ['{"password":"hush"', `${'['.repeat(500)}${']'.repeat(500)}`]) {
    try {
      parseFlagValue(text, data);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'E_VALIDATION', details: { field: 'data' } });
      expect((error as Fault).message).not.toContain('hush');
    }
  }
});

test('any command line gives values or a fault with a code', () => {
  const word = fc.oneof(
    fc.constantFrom(...PARAMETERS.map(({ flag }) => flag), '--', '-', '--on=', '--=', 'true', '1', '{}'),
    anyText(),
    fc.string().map((text) => `--${text}`),
  );
  fc.assert(
    fc.property(fc.array(word), (argv) => {
      try {
        const { values, positionals } = parseFlags(argv, PARAMETERS);
        expect(Object.keys(values).every((name) => PARAMETERS.some((known) => known.name === name))).toBe(
          true,
        );
        expect(positionals.every((text) => argv.includes(text))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        expect(['E_USAGE', 'E_VALIDATION']).toContain((error as Fault).code);
      }
    }),
    { numRuns: process.env.DEED_TEST_LONG === '1' ? 3000 : 200 },
  );
});
