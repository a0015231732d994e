import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact, redactText } from './redact.ts';

/** Values per property; a long run tries all. */
const runs = (all: number): number => (process.env['DEED_TEST_LONG'] === '1' ? all : all / 10);

const TAIL = 'Ab1'.repeat(12);

test.each([
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${TAIL}\n-----END RSA PRIVATE KEY-----`, '[REDACTED]'],
  ['a truncated private key', `-----BEGIN PRIVATE KEY-----\n${TAIL}`, '[REDACTED]'],
  ['a short one in its header', 'Authorization: Bearer s3cr3t', 'Authorization: Bearer [REDACTED]'],
  ['short basic credentials', 'proxy-authorization: Basic dTpw', 'proxy-authorization: Basic [REDACTED]'],
  ['a bearer token in any case', `bEARER ${TAIL}`, 'bEARER [REDACTED]'],
  ['basic credentials', `Authorization: BASIC ${TAIL}=`, 'Authorization: BASIC [REDACTED]'],
  ['a token of a code host', `ghp_${TAIL} gho_${TAIL}`, '[REDACTED] [REDACTED]'],
  ['a fine-grained token', `github_pat_${TAIL}`, '[REDACTED]'],
  ['another host', `glpat-${TAIL}`, '[REDACTED]'],
  ['a chat token', `xoxb-${TAIL}`, '[REDACTED]'],
  ['a model key', `sk-ant-${TAIL}`, '[REDACTED]'],
  ['cloud keys', 'AKIA0123456789ABCDEF and ASIA0123456789ABCDEF', '[REDACTED] and [REDACTED]'],
  ['a map key', `AIza${'x'.repeat(35)}`, '[REDACTED]'],
  ['a web token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0${TAIL}.${TAIL}`, '[REDACTED]'],
  ['a package token', `npm_${TAIL}`, '[REDACTED]'],
  ['a payment key', `sk_live_${TAIL} rk_test_${TAIL}`, '[REDACTED] [REDACTED]'],
  ['a header', 'Cookie: a=1; session=hush', 'Cookie: [REDACTED]'],
  ['a header as JSON', '"authorization":"hush hush"', '"authorization":"[REDACTED]"'],
  ['a piece of JSON', String.raw`{"password": "hu\"sh","n":1}`, '{"password": "[REDACTED]","n":1}'],
  ['a flag', '--password=hush --token=hush', '--password=[REDACTED] --token=[REDACTED]'],
  ['a query', '?api_key=hush&token=hush&page=2', '?api_key=[REDACTED]&token=[REDACTED]&page=2'],
  ['a variable', 'GITHUB_TOKEN=hush DB_PASSWORD=hush', 'GITHUB_TOKEN=[REDACTED] DB_PASSWORD=[REDACTED]'],
  ['a password with an at sign', 'https://me:p@ss@example.com/a', 'https://me:[REDACTED]@example.com/a'],
  ['a password in an address', 'HTTPS://me:hush@example.com/a', 'HTTPS://me:[REDACTED]@example.com/a'],
  ['the shortest secret', 'a://:x@', 'a://:[REDACTED]@'],
])('%s is masked in any context', (_name, secret, masked) => {
  for (const [before, after] of [
    ['', ''],
    ['see ', ' there'],
    ['(', ')'],
    ['\n', '\n'],
  ]) {
    expect(redactText(`${before}${secret}${after}`).startsWith(`${before}${masked}`)).toBe(true);
  }
});

test('ordinary text is unchanged', () => {
  const texts = [
    'task-1',
    'basic training',
    'the bearer of this letter',
    'Authorization: Bearer tokens are accepted',
    'https://example.com:8080/a?b=c',
    'risk-0123456789abcdef',
    'sk-short',
    'high_performance_ghosts',
    'Asia and media',
    'basic configuration and basic functionality',
    'confirm_token=ct_1 next_page_token=abc page-token=abcdef inputTokens=12345',
    'token=<token> and --password=$PASSWORD',
    'cookies: none',
    '{"confirm_token":"ct_1","tokens":"12345","key":"list.limit"}',
    'ct_eyJleHBpcmVzX2F0Ijoi.0123456789abcdef',
    'MAX_TOKENS=4096',
  ];
  expect(texts.map(redactText)).toEqual(texts);
});

test('a secret is also masked by its name, at any depth, and the input is unchanged', () => {
  const value = { a: [{ api_key: 'x', 'X-Api-Key': ['y'], confirm_token: 'ct_1', inputTokens: 3 }] };
  expect(redact(value)).toEqual({
    a: [{ api_key: '[REDACTED]', 'X-Api-Key': ['[REDACTED]'], confirm_token: 'ct_1', inputTokens: 3 }],
  });
  expect(value.a[0]?.api_key).toBe('x');
});

const letters = (alphabet: string, minLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength: 400 });
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Secrets of every format, each with the part that must not appear in the result. */
const secrets = fc.oneof(
  ...['ghp_', 'gho_', 'github_pat_', 'glpat-', 'sk-', 'sk-ant-', 'npm_', 'sk_live_', 'xoxb-'].map((prefix) =>
    letters(ALPHANUMERIC, 40).map((tail) => ({ text: prefix + tail, hidden: tail })),
  ),
  letters(ALPHANUMERIC, 24).map((tail) => ({ text: `Bearer ${tail}`, hidden: tail })),
  letters(ALPHANUMERIC, 24).map((tail) => ({ text: `basic 9${tail}`, hidden: tail })),
  letters(ALPHANUMERIC, 24).map((tail) => ({ text: `password=${tail}`, hidden: tail })),
  letters(ALPHANUMERIC, 24).map((tail) => ({ text: `{"api_key":"${tail}"}`, hidden: tail })),
  letters(ALPHANUMERIC, 24).map((tail) => ({ text: `Set-Cookie: sid=${tail}; Path=/`, hidden: tail })),
  letters(`${ALPHANUMERIC}@!:`, 24)
    .map((tail) => tail.slice(0, 200))
    .map((tail) => ({ text: `postgres://user:${tail}@host/db`, hidden: tail })),
  letters(ALPHANUMERIC, 24).map((tail) => ({ text: `-----BEGIN PRIVATE KEY-----\n${tail}\n`, hidden: tail })),
);

test('a secret of any format is masked anywhere in text or structure', () => {
  fc.assert(
    fc.property(secrets, fc.string(), fc.string(), ({ text, hidden }, before, after) => {
      // A letter right before it would make it part of a longer word.
      const whole = `${before.replaceAll(/[A-Za-z0-9_-]+$/gu, '')} ${text} ${after}`;
      const shown = JSON.stringify([redactText(whole), redact({ a: [whole], [whole]: { b: whole } })]);
      expect(shown).not.toContain(hidden);
    }),
    { numRuns: runs(2000) },
  );
});

test('a value under a secret name is masked at any depth', () => {
  const names = fc.constantFrom(
    'password',
    'API_KEY',
    'Set-Cookie',
    'refresh_token',
    'GITHUB_TOKEN',
    'clientSecret',
  );
  fc.assert(
    fc.property(names, fc.uuid(), fc.jsonValue(), (name, hidden, other) => {
      const value = { other, list: [{ [name]: { deeper: [hidden, { still: hidden }] } }] };
      expect(JSON.stringify(redact(value))).not.toContain(hidden);
    }),
  );
});

test('a value is returned unchanged only when masking each member would change nothing', () => {
  const piece = fc.oneof(
    fc.string(),
    secrets.map((secret) => secret.text),
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '\n',
      '\ud800',
      '\u212A',
      'password"',
      'TOKEN=',
      '://',
      '@',
      '_API_KEY',
      'toJSON',
    ),
  );
  const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  const name = fc.oneof(text, fc.constantFrom('Pass_Word', 'X_TOKEN', 'x_token', '__proto__', 'cookie'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  }));
  fc.assert(
    fc.property(value, (given) => {
      // With these in the array, every member is checked.
      const [masked] = redact([given, { token: 'x' }, `Bearer ${'a'.repeat(20)}`]);
      expect(redact(given)).toEqual(masked);
    }),
    { numRuns: runs(3000) },
  );
});

test('masking is idempotent', () => {
  const text = fc.oneof(
    fc.string(),
    secrets.map((secret) => secret.text),
  );
  fc.assert(
    fc.property(fc.array(text), fc.jsonValue(), (texts, value) => {
      const joined = texts.join(' ');
      expect(redactText(redactText(joined))).toBe(redactText(joined));
      const once = redact({ joined, value, token: joined });
      expect(redact(once)).toEqual(once);
    }),
    { numRuns: runs(2000) },
  );
});

test('a value without secrets is unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(
        !/secret|token|pass|key|cookie|auth|cred|bearer|basic|gh|sk|pw|pat|jwt|mdp|code|salt|:\/\//iu.test(
          JSON.stringify(value),
        ),
      );
      expect(redact(value)).toEqual(value);
    }),
  );
});

test('masks the shortest token of a format that shorter texts are not searched for', () => {
  const [id, time, signature] = ['M7x'.repeat(8), 'Q9w2Zx', 'k3V'.repeat(9)];
  const token = `${id}.${time}.${signature}`;
  expect([token.length, redactText(token), redactText(token.slice(0, -1))]).toEqual([
    59,
    '[REDACTED]',
    token.slice(0, -1),
  ]);
});
