import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

describe('decodeText', () => {
  it('returns text as it is, also with the replacement character', () => {
    expect(decodeText(Buffer.from('a\uFFFDé\u{1F600}'), 'x')).toBe('a\uFFFDé\u{1F600}');
  });

  it.each([
    [Buffer.from([0x61, 0xff]), 'f is not valid UTF-8: 0xff at byte 1.'],
    [Buffer.concat([Buffer.from('\uFFFDé'), Buffer.from([0xc3])]), 'f is not valid UTF-8: 0xc3 at byte 5.'],
    [Buffer.from('a\0b'), 'f contains a NUL byte: 0x00 at byte 1.'],
  ])('names the first byte that does not belong to text: %#', (bytes, message) => {
    expect(() => decodeText(bytes, 'f')).toThrow(message);
  });
});
