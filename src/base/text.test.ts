import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyText } from '../../test/fixtures/any-text.ts';
import { escapeJson, excerpt, printable, unsafeText } from './text.ts';

test('text is safe only if it survives a UTF-8 round trip', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const back = Buffer.from(text, 'utf8').toString('utf8');
      expect(unsafeText(text) === undefined).toBe(back === text && !text.includes('\u0000'));
    }),
  );
  expect([unsafeText('\uD800'), unsafeText('a\u0000')]).toEqual(['invalid unicode', 'nul byte']);
});

test('an excerpt is short, starts like the text, and never splits a surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, length) => {
      const short = excerpt(text, length);
      if (text.length <= length) expect(short).toBe(text);
      else expect([text.startsWith(short.slice(0, -1)), short.endsWith('…')]).toEqual([true, true]);
      expect([short.isWellFormed(), short.length <= length + 1]).toEqual([true, true]);
    }),
  );
});

test('printable text has no control characters', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      // eslint-disable-next-line no-control-regex -- these must not be in the result
      expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u);
    }),
  );
  expect(printable('a\tb\nc é 日本')).toBe('a\tb\nc é 日本');
});

describe('text with characters that cannot be seen', () => {
  it.each([
    ['a right-to-left override', 'safe\u202Egpj.exe'],
    ['an isolate', 'a\u2066b\u2069'],
    ['a zero-width space', 'pass\u200Bword'],
    ['a joiner between letters', 'pay\u200Dpal'],
    ['a joiner at the end', 'x\u200D'],
    ['a byte order mark', 'a\uFEFFb'],
    ['tags', `x${String.fromCodePoint(0xe0041, 0xe0042)}`],
    ['a soft hyphen', 'a\u00ADb'],
    ['a C1 control', 'a\u009B31mb'],
    ['a line separator', 'a\u2028b'],
  ])('is printed with replacements, and escaped in JSON: %s', (_what, text) => {
    expect(printable(text)).toContain('\uFFFD');
    const json = escapeJson(JSON.stringify(text));
    expect(json).toMatch(/^[\u0020-\u007E]*$/u);
    expect(JSON.parse(json)).toBe(text);
  });

  it.each(['👩\u200D💻 works', 'می\u200Cخواهم', 'naïve — “quoted” 日本語'])(
    'keeps ordinary text: %s',
    (text) => {
      expect([printable(text), escapeJson(JSON.stringify(text))]).toEqual([text, JSON.stringify(text)]);
    },
  );
});
