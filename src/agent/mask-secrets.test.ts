import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMask, secretsAmong } from './mask-secrets.ts';

const SECRETS = ['plainkey4711', 'key4711Zebra', 'aaaaaaaab'];

describe('a mask', () => {
  it('hides a secret however its pieces fall, and loses nothing else', () => {
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
          // Where no secret stands, nothing is changed.
          if (!SECRETS.some((secret) => whole.includes(secret))) expect(seen).toBe(whole);
        },
      ),
    );
  });

  it('leaves short values alone: they stand in any text', () => {
    expect(createMask(['none', '']).text('none of it')).toBe('none of it');
  });

  it('knows secrets among headers by their names, and a scheme before them', () => {
    expect(
      secretsAmong({ accept: 'application/json', Authorization: 'Bearer abc', 'x-api-key': 'def' }),
    ).toEqual(['Bearer abc', 'abc', 'def', 'def']);
  });
});
