import { expect, test } from 'vitest';
import {
  ORDINARY,
  ORDINARY_MEMBERS,
  SECRET_MEMBERS,
  SECRETS,
} from '../../../test/fixtures/secret-samples.ts';
import { contextPatterns } from './context-patterns.ts';
import { redact, redactText } from './redact.ts';
import { tokenFormats } from './token-formats.ts';
import { tokenSubstrings } from './token-substrings.ts';

/** Text may surround a secret, in a line of its own or within one. */
const PLACES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['before\n', '\nafter'],
];

test.each(SECRETS)('%s is masked', (kind, text, hidden) => {
  for (const [before, after] of PLACES) {
    const masked = redactText(`${before}${text}${after}`);
    expect(masked).not.toContain(hidden);
    expect(masked.startsWith(before)).toBe(true);
    // Without its end a key reaches to the end of the text.
    expect(masked.endsWith(kind.includes('without its end') ? '[REDACTED]' : after)).toBe(true);
  }
});

test.each(SECRET_MEMBERS)('the value of the member %s is masked', (name) => {
  expect(redact({ list: [{ [name]: 'hunter22' }] })).toEqual({ list: [{ [name]: '[REDACTED]' }] });
});

test('a value is masked by the name of its pair', () => {
  const pairs = [
    { name: 'DB_PASSWORD', value: 'hunter22' },
    { Key: 'api_key', Value: 'hunter22' },
    { name: 'region', value: 'hunter22' },
  ];
  expect(redact(pairs)).toEqual([
    { name: 'DB_PASSWORD', value: '[REDACTED]' },
    { Key: 'api_key', Value: '[REDACTED]' },
    { name: 'region', value: 'hunter22' },
  ]);
});

test('a flag that contains a password does not name the next argument', () => {
  expect(redactText('mysql -pSECRET shop')).toBe('mysql -p[REDACTED] shop');
});

test.each(ORDINARY)('%s stays', (text) => {
  for (const [before, after] of PLACES)
    expect(redactText(`${before}${text}${after}`)).toBe(`${before}${text}${after}`);
});

test.each(ORDINARY_MEMBERS)('the member %s with the value %j stays', (name, value) => {
  const whole = { list: [{ [name]: value }] };
  expect(redact(whole)).toBe(whole);
});

test('every substring of a format is listed, and no other', () => {
  const substrings = new Set(tokenFormats().flatMap((format) => format.substrings));
  expect([...tokenSubstrings()].toSorted()).toEqual([...substrings].toSorted());
});

/** Repeated pieces that a pattern could backtrack over. */
const REPEATED = [
  'a',
  'A_',
  'Aa0.',
  'token ',
  'token:',
  '"token":"',
  'a=b;',
  '://',
  'http://a',
  'curl ',
  'mysql -p ',
  '\\',
  '\\"',
  ' ',
  '\n',
  '1',
  '<password>',
  '<a key="',
  'cookie:',
  'cookie: path=path ',
  'bearer ',
  ' --token',
  'pass=',
  'eyJaaaaaaaaaaaaaaaa.',
  '-----BEGIN PRIVATE KEY-----',
  'login a password ',
  'chpasswd\na:',
  'password: |\n  ',
  'key for key ',
  'echo chpasswd | ',
  'smbclient -U ',
  'sshpass -v ',
  'sshpass -p ',
  'PGPASSWORD=',
  'curl -u a:',
  '?code=',
  '%26code%3da1',
  'PDO("a",',
  '"kty":',
  'token["token"] == ',
  'password = String::from(',
  '"name":"token",',
  '"value":"a","name":',
  'jwt.sign(a,',
  'curl -b a',
  'expect password send',
  'contraseña a ',
  'rabbitmqctl add_user ',
  'PWD={a',
  'following key a ',
  'unseal key ',
  '|password|\n|--|--|\n',
  'a,password\n',
  '-+',
  '|',
];

/** Words that make every pattern search the text. */
const EVERY_PATTERN = ` ${contextPatterns()
  .flatMap(({ substrings }) => substrings)
  .join(' ')} ${[...tokenSubstrings()].join(' ')} password=x`;

const LONG = process.env['DEED_TEST_LONG'] === '1';

/** Searches a text of this length and returns how many seconds of CPU it took. */
function searchSeconds(piece: string, length: number): number {
  const text = `x${piece.repeat(length / piece.length)}${EVERY_PATTERN}`;
  const before = process.threadCpuUsage();
  expect(redactText(text).startsWith('x')).toBe(true);
  return process.threadCpuUsage(before).user / 1_000_000;
}

// A quadratic search takes many seconds.
test.each(REPEATED)('a long text of %j is searched in linear time', (piece) => {
  expect(searchSeconds(piece, LONG ? 100_000 : 20_000)).toBeLessThan(3);
});

test.runIf(LONG).each(['a', ' ', '\\', 'a-', 'bearer '])(
  'a megabyte of %j is searched in seconds',
  (piece) => {
    expect(searchSeconds(piece, 1_000_000)).toBeLessThan(20);
  },
);

test('the attributes of a cookie are distinguished in linear time', () => {
  const text = `Cookie: path=${'path '.repeat(50)};x=1`;
  expect(redactText(text)).toBe('Cookie: [REDACTED]');
});
