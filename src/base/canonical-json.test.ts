import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCanonical, toWellFormed } from './canonical-json.ts';

describe('canonical JSON', () => {
  // The example and the order of members in RFC 8785, sections 3.2.2 and 3.2.3.
  it('follows RFC 8785', () => {
    const example = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
      "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
    expect(renderCanonical(JSON.parse(example))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
    const members = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect([...renderCanonical(members).matchAll(/:"([^"]+)"/gu)].map(([, text]) => text)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  it('sorts integers like other names', () => {
    expect(renderCanonical({ b: 1, 10: 2, 9: 3, a: undefined })).toBe('{"10":2,"9":3,"b":1}');
  });

  it('rejects what is not JSON, or has no canonical form', () => {
    for (const value of [Number.NaN, Infinity, undefined, () => 1, '\uD800', { '\uDC00': 1 }])
      expect(() => renderCanonical(value)).toThrow(TypeError);
    expect(renderCanonical(toWellFormed({ 'a\uDC00': ['\uD800x'] }))).toBe('{"a\uFFFD":["\uFFFDx"]}');
  });

  it('is the same for a value that was parsed again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = renderCanonical(toWellFormed(value));
        expect(renderCanonical(JSON.parse(text))).toBe(text);
      }),
    );
  });
});
