import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed } from '../fixtures/run-deed.ts';

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/u;

describe('every answer', () => {
  let home: ReturnType<typeof createHome>;
  const answers: { argv: string[]; data: unknown }[] = [];
  beforeAll(() => {
    home = createHome();
    confirmed(['config', 'set', 'list.limit', '5'], { home: home.path });
    const calls = [
      ['context'],
      ['doctor'],
      ['config', 'list'],
      ['audit', 'list'],
      ['changelog'],
      ['config', 'set', 'list.limit', '6', '--dry-run'],
    ];
    for (const argv of calls) answers.push({ argv, data: deed(argv, { home: home.path }).envelope.data });
  });
  afterAll(() => home.dispose());

  it('has string ids and UTC times', () => {
    const wrong = answers.flatMap(({ data }) =>
      [...members(data)].filter(([name, value]) => {
        if (/^(?:id|uid|seq|.*_id)$/u.test(name)) return value !== null && typeof value !== 'string';
        if (/^(?:at|.*_at)$/u.test(name)) return typeof value !== 'string' || !ISO_UTC.test(value);
        return false;
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('names its members in snake_case', () => {
    const names = answers.flatMap(({ data }) => [...members(data)].map(([name]) => name));
    // Settings have dotted names, and credentials are listed by their variables.
    expect(
      names.filter(
        (name) =>
          !/^_?[a-z][a-z0-9_]*$/u.test(name) && !/^[a-z]+\.[a-z_]+$/u.test(name) && !/^[A-Z_]+$/u.test(name),
      ),
    ).toEqual([]);
  });

  it('includes the list of untrusted fields in every selection', () => {
    const { data } = deed(['audit', 'list', '--fields', 'seq'], { home: home.path }).envelope;
    expect(data._untrusted).toEqual(['items[].args', 'items[].agent', 'items[].request_id', 'items[].note']);
    expect(Object.keys(data.items[0])).toEqual(['seq']);
    expect(Object.keys(data)).toEqual(['items', 'count', 'next_cursor', 'has_more', '_untrusted']);
  });
});

function* members(value: unknown): Generator<[string, unknown]> {
  if (Array.isArray(value)) for (const item of value) yield* members(item);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield [name, member];
      yield* members(member);
    }
  }
}
