import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText, rewriteJson } from './rewrite-json.ts';
import { applyEdits, invertEdits } from './text-edit.ts';

const rewritten = (text: string, next: Record<string, unknown>): string =>
  applyEdits(text, rewriteJson(text, next));

const COMMENTED = `{
    // The model that I like.
    "model": "opus", /* really */
    "hooks": {
        "Stop": [
            { "command": "echo hi" }, // mine
        ],
    },
}
`;

describe('a JSON text with another value', () => {
  it('keeps comments, indentation, order and trailing commas', () => {
    const value = parseJsonText(COMMENTED) as { hooks: { Stop: object[] } };
    const next = {
      ...value,
      hooks: { ...value.hooks, Stop: [...value.hooks.Stop, { command: 'vybe' }] },
      servers: { deed: { args: ['serve'] } },
    };
    expect(rewritten(COMMENTED, next)).toBe(`{
    // The model that I like.
    "model": "opus", /* really */
    "hooks": {
        "Stop": [
            { "command": "echo hi" },
            {
                "command": "vybe"
            }, // mine
        ],
    },
    "servers": {
        "deed": {
            "args": [
                "serve"
            ]
        }
    },
}
`);
  });

  it('keeps the line endings, and fills empty texts and objects', () => {
    expect(rewritten('{\r\n  "a": 1\r\n}\r\n', { a: 1, b: [2] })).toBe(
      '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}\r\n',
    );
    expect(rewritten('', { a: 1 })).toBe('{\n  "a": 1\n}\n');
    expect(rewritten('{}', { a: 1 })).toBe('{\n  "a": 1\n}');
    expect(rewritten('{\n}\n', { a: 1 })).toBe('{\n  "a": 1\n}\n');
    expect(rewritten('{"__proto__":1,"b":2}', JSON.parse('{"__proto__":1}') as Record<string, unknown>)).toBe(
      '{"__proto__":1}',
    );
    expect(rewritten('{"a":[1,null]}', { a: [1] })).toBe('{"a":[1]}');
    expect(parseJsonText('{ broken')).toBeUndefined();
    expect(parseJsonText('[1]')).toBeUndefined();
  });

  it('changes the last of several members with one name, which counts, and removes them all', () => {
    expect(rewritten('{"a":1,"a":2}', { a: 3 })).toBe('{"a":1,"a":3}');
    expect(rewritten('{"a":1,"b":0,"a":2}', { b: 0 })).toBe('{"b":0}');
  });

  it('does not leave a comma alone', () => {
    expect(rewritten('{"a":1,}', {})).toBe('{}');
    expect(rewritten('{"a":[1 /* one */ , ],}', { a: [] })).toBe('{"a":[ /* one */  ],}');
    expect(rewritten('{"a":1,"b":2,}', { a: 1 })).toBe('{"a":1,}');
  });

  it('has exactly that value, and its edits can be undone byte for byte', () => {
    const settings = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
    fc.assert(
      fc.property(
        settings,
        settings,
        fc.constantFrom(0, 2, '\t'),
        fc.boolean(),
        (one, two, indent, comma) => {
          const compact = JSON.stringify(one, null, indent);
          const text = comma ? compact.replaceAll(/(?<=[^{[,\s])(?=\s*[}\]]$)/gu, ',') : compact;
          for (const next of [two, { ...one, ...two }]) {
            const edits = rewriteJson(text, JSON.parse(JSON.stringify(next)) as Record<string, unknown>);
            const after = applyEdits(text, edits);
            expect(comma ? parseJsonText(after) : JSON.parse(after)).toEqual(
              JSON.parse(JSON.stringify(next)),
            );
            expect(applyEdits(after, invertEdits(edits))).toBe(text);
          }
        },
      ),
    );
  });
});
