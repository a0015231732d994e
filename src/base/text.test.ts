import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerpt, printable, unsafeText } from './text.ts';

test('text is safe only if it survives a UTF-8 round trip', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
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
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // eslint-disable-next-line no-control-regex -- these must not be in the result
      expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u);
    }),
  );
  expect(printable('a\tb\nc é 日本')).toBe('a\tb\nc é 日本');
});
