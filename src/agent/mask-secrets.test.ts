import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMask, findSecretValues } from './mask-secrets.ts';

const SECRETS = ['plainkey4711', 'key4711Zebra', 'aaaaaaaab'];

describe('a mask', () => {
  it('redacts a secret wherever chunk boundaries fall, and changes nothing else', () => {
    const word = fc.constantFrom(...SECRETS, 'plain', 'key', 'aaaa', ' ', 'x', 'Zebra');
    fc.assert(
      fc.property(
        fc.array(word),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (words, cuts) => {
          const whole = words.join('');
          const mask = createMask(SECRETS);
          let seen = '';
          const stream = mask.stream((text) => (seen += text));
          for (let at = 0, turn = 0; at < whole.length; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1;
            stream.push(whole.slice(at, at + size));
            at += size;
          }
          stream.end();
          for (const secret of SECRETS) expect(seen).not.toContain(secret);
          // Text without a secret is unchanged.
          if (!SECRETS.some((secret) => whole.includes(secret))) expect(seen).toBe(whole);
        },
      ),
    );
  });

  it('ignores short values, which may occur in any text', () => {
    expect(createMask(['none', '']).text('none of it')).toBe('none of it');
  });

  it('finds secret headers by name, with and without the auth scheme', () => {
    expect(
      findSecretValues({ accept: 'application/json', Authorization: 'Bearer abc', 'x-api-key': 'def' }),
    ).toEqual(['Bearer abc', 'abc', 'def', 'def']);
  });
});
