import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/fixtures/any-text.ts';
import type { Fault } from '../base/fault.ts';
import { issueToken, parseToken, verifyToken } from './confirm-token.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const key = new Uint8Array(32).fill(7);
const scopes = fc.jsonValue();

function reason(token: string, scope: unknown, options: { key?: Uint8Array; now?: number } = {}): unknown {
  try {
    verifyToken(parseToken(token), scope, options.key ?? key, options.now ?? NOW);
    return 'accepted';
  } catch (error) {
    expect(error).toMatchObject({ name: 'Fault', code: 'E_CONFLICT' });
    return (error as Fault).details.reason;
  }
}

test('a token is valid for its scope, in any member order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), scopes), (scope) => {
      const { token } = issueToken(scope, key, NOW);
      expect(reason(token, Object.fromEntries(Object.entries(scope).toReversed()))).toBe('accepted');
    }),
  );
});

test('a token is invalid for another scope or key', () => {
  fc.assert(
    fc.property(scopes, scopes, fc.uint8Array({ minLength: 32, maxLength: 32 }), (scope, other, otherKey) => {
      const { token } = issueToken(scope, key, NOW);
      fc.pre(JSON.stringify(scope) !== JSON.stringify(other) && otherKey.some((byte) => byte !== 7));
      expect(reason(token, { scope, other })).toBe('changed');
      expect(reason(token, scope, { key: otherKey })).toBe('changed');
    }),
  );
});

test('a token with any character changed, added or removed is rejected', () => {
  const { token } = issueToken({ a: 1 }, key, NOW);
  const character = fc.constantFrom(...'ABCxyz019-_.=+/ '.split(''));
  const kind = fc.constantFrom('replace', 'insert', 'remove', 'cut');
  fc.assert(
    fc.property(fc.nat(token.length - 1), character, kind, (at, letter, how) => {
      const after = token.slice(how === 'insert' ? at : at + 1);
      const changed =
        token.slice(0, at) + (how === 'remove' || how === 'cut' ? '' : letter) + (how === 'cut' ? '' : after);
      fc.pre(changed !== token);
      expect(['malformed', 'changed', 'expired', 'clock']).toContain(reason(changed, { a: 1 }));
    }),
    { numRuns: process.env.DEED_TEST_LONG === '1' ? 2000 : 400 },
  );
});

test('arbitrary text is rejected without a crash', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(),
        fc.base64String().map((text) => `ct_${text}`),
      ),
      (text) => {
        expect(['malformed', 'changed', 'expired', 'clock']).toContain(reason(text, {}));
      },
    ),
  );
});

test('a token is valid for exactly 15 minutes', () => {
  const { token, expiresAt } = issueToken({}, key, NOW);
  expect(expiresAt).toBe('2026-06-01T12:15:00.000Z');
  expect(reason(token, {}, { now: NOW + 15 * MINUTE - 1 })).toBe('accepted');
  expect(reason(token, {}, { now: NOW + 15 * MINUTE })).toBe('expired');
  expect(reason(token, {}, { now: NOW - MINUTE })).toBe('accepted');
  expect(reason(token, {}, { now: NOW - MINUTE - 1 })).toBe('clock');
});

test('two tokens for the same scope are different, with different fingerprints', () => {
  const tokens = [1, 2].map(() => issueToken({}, key, NOW).token);
  expect(tokens[0]).not.toBe(tokens[1]);
  const prints = tokens.map((token) => parseToken(token).fingerprint);
  expect(new Set(prints).size).toBe(2);
});

test('a token has at most 40 characters, and reveals nothing but its expiry', () => {
  const { token, expiresAt } = issueToken({ password: 'hush', id: '42' }, key, NOW);
  expect(token).toMatch(/^ct_[A-Za-z0-9_-]{35}$/u);
  const bytes = Buffer.from(token.slice(3), 'base64url');
  expect([bytes.length, bytes.readUInt32BE() * 1000]).toEqual([26, Date.parse(expiresAt)]);
});

test('a token never expires before its time, for any fraction of a second', () => {
  const { token, expiresAt } = issueToken({}, key, NOW + 1);
  expect(expiresAt).toBe('2026-06-01T12:15:01.000Z');
  expect(reason(token, {}, { now: NOW + 15 * MINUTE })).toBe('accepted');
});
