import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/fixtures/any-text.ts';
import { LONG } from '../../test/fixtures/start-node.ts';
import {
  CHAIN_START,
  checkLine,
  parseLine,
  renderLine,
  sealEntry,
  type AuditEntry,
  type AuditLine,
} from './audit-chain.ts';

const key = new Uint8Array(32).fill(1);
/** Chains of each property. */
const RUNS = { numRuns: LONG ? 100 : 30 };
const START = { seq: 0, hash: CHAIN_START };

const entries: fc.Arbitrary<AuditEntry> = fc.record({
  at: fc.constant('2026-01-01T00:00:00.000Z'),
  phase: fc.constantFrom('begin' as const, 'end' as const),
  command: fc.option(anyText()),
  args: fc.dictionary(fc.string(), fc.jsonValue()),
  account: fc.constant({ user: 'me' }),
  agent: fc.option(fc.string({ unit: 'grapheme' })),
  request_id: fc.option(fc.string()),
  exit_code: fc.option(fc.nat(130)),
  code: fc.option(fc.constantFrom('E_IO', 'E_USAGE')),
  duration_ms: fc.option(fc.nat()),
});

/** Signs entries in order, then parses the rendered lines. */
function chainOf(list: readonly AuditEntry[]): (AuditLine | undefined)[] {
  let previous: { seq: number; hash: string } = START;
  return list.map((entry) => {
    const line = sealEntry(entry, previous, key);
    previous = line;
    const text = renderLine(line);
    expect(text.indexOf('\n')).toBe(text.length - 1);
    return parseLine(text);
  });
}

function problems(lines: readonly (AuditLine | undefined)[]): (string | undefined)[] {
  let previous: { seq: number; hash: string } = START;
  return lines.map((line) => {
    const problem = checkLine(line, previous, key);
    if (line) previous = line;
    return problem;
  });
}

test('a chain of any entries verifies after it was rendered and parsed', () => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 6 }), (list) => {
      expect(problems(chainOf(list))).toEqual(list.map(() => undefined));
    }),
    RUNS,
  );
});

test('a change in any member of any line is detected', () => {
  const member = fc.constantFrom(
    'at',
    'command',
    'args',
    'agent',
    'exit_code',
    'seq',
    'prev',
    'hash',
    'extra',
  );
  fc.assert(
    fc.property(fc.array(entries, { minLength: 1, maxLength: 4 }), fc.nat(), member, (list, at, name) => {
      const lines = chainOf(list);
      const index = at % lines.length;
      const changed = { ...lines[index], [name]: 'changed' } as unknown as AuditLine;
      expect(problems(lines.with(index, changed))[index]).toBeDefined();
    }),
    RUNS,
  );
});

test('a removed, moved or repeated line is detected at any position', () => {
  fc.assert(
    fc.property(fc.array(entries, { minLength: 3, maxLength: 6 }), fc.nat(), (list, at) => {
      const lines = chainOf(list);
      const index = at % (lines.length - 1);
      const some = (changed: readonly (AuditLine | undefined)[]): boolean => problems(changed).some(Boolean);
      expect(some(lines.toSpliced(index, 1))).toBe(true);
      expect(some(lines.toSpliced(index, 0, lines[index]))).toBe(true);
      expect(some(lines.toSpliced(index, 2, lines[index + 1], lines[index]))).toBe(true);
    }),
    RUNS,
  );
});

test('a line signed with another key is rejected', () => {
  fc.assert(
    fc.property(entries, (entry) => {
      expect(checkLine(sealEntry(entry, START, new Uint8Array(32)), START, key)).toBe('changed line');
    }),
  );
});

test('text that is not an audit line does not parse', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(parseLine(text)).toBeUndefined();
    }),
  );
  expect(checkLine(undefined, START, key)).toBe('unreadable line');
});
