import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { confirmed, createHome, deed, type Run, type RunOptions } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

/** Each secret holds this word, so that one search finds all that escape. */
const HIDDEN = 'Hush0Hush1Hush2Hush3Hush4Hush5Hush6Hush7';

/** Secrets by the name of their field. */
const BY_NAME = Object.fromEntries(
  [
    'password',
    'passwd',
    'passphrase',
    'secret',
    'token',
    'api_key',
    'X-Api-Key',
    'access_token',
    'refreshToken',
    'id_token',
    'auth_token',
    'client_secret',
    'secretKey',
    'aws_secret_access_key',
    'private_key',
    'Authorization',
    'Proxy-Authorization',
    'cookie',
    'Set-Cookie',
    'credential',
    'GITHUB_TOKEN',
  ].map((name) => [name, HIDDEN]),
);

/** Secrets by their shape, under names that say nothing. */
const BY_SHAPE = Object.fromEntries(
  [
    `-----BEGIN RSA PRIVATE KEY-----\n${HIDDEN}\n-----END RSA PRIVATE KEY-----`,
    `Bearer ${HIDDEN}`,
    `Basic ${HIDDEN}`,
    `ghp_${HIDDEN}`,
    `github_pat_${HIDDEN}`,
    `glpat-${HIDDEN}`,
    `xoxb-${HIDDEN}`,
    `sk-${HIDDEN}`,
    `npm_${HIDDEN}`,
    `sk_live_${HIDDEN}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJ${HIDDEN}.${HIDDEN}`,
    `https://user:${HIDDEN}@example.com/path`,
    `Cookie: session=${HIDDEN}`,
    `--token=${HIDDEN}`,
    `{"password":"${HIDDEN}"}`,
  ].map((secret, index) => [`field_${index}`, `before ${secret}\nafter`]),
);

/** What looks like a secret and is none. */
const SURVIVORS = {
  confirm_token: 'ct_abc',
  inputTokens: 12,
  tokenizer: 'bpe',
  id: 'task-1',
  model: 'sk-short',
  text: 'basic configuration of the bearer',
  url: 'https://example.com:8080/path?page=2',
  configured: true,
  nothing: null,
};

const secrets = (...argv: string[]): Run => deed(argv, options());
const options = (): RunOptions => ({
  env: { SECRETS_HOME: home.path },
  executable: exampleExecutable('secrets'),
});
const given = (values: object): string[] => ['--secrets', JSON.stringify(values)];
const told = ({ stdout, stderr }: Run): string => stdout + stderr;

describe.each([
  ['by name', BY_NAME],
  ['by shape', BY_SHAPE],
])('secrets %s', (_how, values) => {
  it('are masked in an answer', () => {
    const run = secrets('secret', 'show', ...given(values));
    expect(run.code).toBe(0);
    expect(Object.keys(run.envelope.data as object)).toEqual(Object.keys(values));
    expect(run.stdout).not.toContain(HIDDEN);
    expect(run.stdout.match(/\[REDACTED\]/gu)?.length).toBeGreaterThanOrEqual(Object.keys(values).length);
  });

  it('are masked deep inside lists and objects', () => {
    const run = secrets('secret', 'show', ...given({ list: [{ deep: [values] }] }));
    expect(run.stdout).not.toContain(HIDDEN);
  });

  it('are masked in the details of an error', () => {
    const run = secrets('secret', 'fail', ...given(values));
    expect(run.code).toBe(4);
    expect(JSON.stringify(run.envelope.error?.details)).toContain('[REDACTED]');
    // The hint is a text of its own; a value under a name cannot be known in it.
    expect(JSON.stringify({ ...run.envelope.error?.details, hint: '' })).not.toContain(HIDDEN);
  });

  it('are masked in a preview, and in the answer to the write', () => {
    const preview = secrets('secret', 'store', ...given(values), '--dry-run');
    expect(told(preview)).not.toContain(HIDDEN);
    expect(preview.stdout).toContain('[REDACTED]');
    const result = confirmed(['secret', 'store', ...given(values)], options());
    expect([result.code, told(result).includes(HIDDEN)]).toEqual([0, false]);
  });
});

describe('secrets by shape', () => {
  it('are masked in messages, hints, progress and warnings', () => {
    const failed = secrets('secret', 'fail', ...given(BY_SHAPE));
    expect(told(failed)).not.toContain(HIDDEN);
    const warned = secrets('secret', 'warn', ...given(BY_SHAPE));
    expect(warned.stderr).toMatch(/^secrets: progress [\s\S]+\nsecrets: warning /u);
    expect(told(warned)).not.toContain(HIDDEN);
    expect(told(secrets('secret', 'fail', ...given(BY_SHAPE), '--format', 'text'))).not.toContain(HIDDEN);
    expect(told(secrets('secret', 'show', ...given(BY_SHAPE), '--format', 'text'))).not.toContain(HIDDEN);
  });

  it.each([
    ['a command', [`ghp_${HIDDEN}`]],
    ['a flag', [`--ghp_${HIDDEN}`]],
    ['a flag with a value', ['context', `--password=${HIDDEN}`]],
    ['an argument', ['context', `ghp_${HIDDEN}`]],
    ['the value of a flag', ['audit', 'list', '--limit', `ghp_${HIDDEN}`]],
    ['a setting', ['config', 'get', `ghp_${HIDDEN}`]],
    ['a value', ['config', 'set', 'list.limit', `ghp_${HIDDEN}`, '--dry-run']],
    ['a field', ['context', '--fields', `ghp_${HIDDEN}`]],
    ['a file', ['context', '--input', `@ghp_${HIDDEN}`]],
    ['JSON that cannot be read', ['context', '--input', `{"password":"${HIDDEN}`]],
    ['an address', ['config', 'set', 'update.release_url', `https://me:${HIDDEN}@example.com`, '--dry-run']],
  ])('are masked where the caller put one in the place of %s', (_where, argv) => {
    expect(told(deed(argv, { home: home.path }))).not.toContain(HIDDEN);
  });
});

describe('the audit log', () => {
  it('holds no secret of all these calls, in no file', () => {
    deed(['context', '--request-id', `ghp_${HIDDEN}`], {
      home: home.path,
      env: { AI_AGENT: `agent ghp_${HIDDEN}` },
    });
    const folder = join(home.path, 'audit');
    const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(logs.join('')).not.toContain(HIDDEN);
    expect(logs.join('').match(/\[REDACTED\]/gu)?.length).toBeGreaterThan(10);
  });
});

describe('what is no secret', () => {
  it('stays as it is', () => {
    expect(secrets('secret', 'show', ...given(SURVIVORS)).envelope.data).toEqual(SURVIVORS);
  });

  it('says only whether credentials are there', () => {
    const { data } = deed(['context'], { home: home.path, env: { ANTHROPIC_API_KEY: HIDDEN } }).envelope;
    expect(JSON.stringify(data)).not.toContain(HIDDEN);
    expect(data.credentials).toMatchObject({ configured: true, variables: { ANTHROPIC_API_KEY: true } });
  });
});
