import { expect, test } from 'vitest';
import { redact, redactText } from './redact.ts';

const TAIL = 'Ab1'.repeat(12);

test.each([
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${TAIL}\n-----END RSA PRIVATE KEY-----`, '[REDACTED]'],
  ['a private key that was cut off', `-----BEGIN PRIVATE KEY-----\n${TAIL}`, '[REDACTED]'],
  ['a bearer token in any case', `bEARER ${TAIL}`, 'bEARER [REDACTED]'],
  ['basic credentials', `Authorization: BASIC ${TAIL}=`, 'Authorization: BASIC [REDACTED]'],
  ['a token of a code host', `ghp_${TAIL} gho_${TAIL}`, '[REDACTED] [REDACTED]'],
  ['a fine-grained token', `github_pat_${TAIL}`, '[REDACTED]'],
  ['another host', `glpat-${TAIL}`, '[REDACTED]'],
  ['a chat token', `xoxb-${TAIL}`, '[REDACTED]'],
  ['a model key', `sk-ant-${TAIL}`, '[REDACTED]'],
  ['cloud keys', 'AKIA0123456789ABCDEF and ASIA0123456789ABCDEF', '[REDACTED] and [REDACTED]'],
  ['a map key', `AIza${'x'.repeat(35)}`, '[REDACTED]'],
  ['a password in an address', 'HTTPS://me:hush@example.com/a', 'HTTPS://me:[REDACTED]@example.com/a'],
])('%s is masked, wherever it stands', (_name, secret, masked) => {
  for (const [before, after] of [
    ['', ''],
    ['see ', ' there'],
    ['(', ')'],
    ['\n', '\n'],
  ]) {
    expect(redactText(`${before}${secret}${after}`).startsWith(`${before}${masked}`)).toBe(true);
  }
});

test('ordinary text stays as it is', () => {
  const texts = [
    'task-1',
    'basic training',
    'the bearer of this letter',
    'https://example.com:8080/a?b=c',
    'risk-0123456789abcdef',
    'sk-short',
    'high_performance_ghosts',
    'Asia and media',
  ];
  expect(texts.map(redactText)).toEqual(texts);
});

test('a secret is known by its name too, however deep, and the input is left alone', () => {
  const value = { a: [{ api_key: 'x', 'X-Api-Key': ['y'], confirm_token: 'ct_1', inputTokens: 3 }] };
  expect(redact(value)).toEqual({
    a: [{ api_key: '[REDACTED]', 'X-Api-Key': ['[REDACTED]'], confirm_token: 'ct_1', inputTokens: 3 }],
  });
  expect(value.a[0]?.api_key).toBe('x');
});
