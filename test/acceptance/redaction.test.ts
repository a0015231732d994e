import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';
import { confirmInProcess, createProgram, runInProcess, SOURCE_LIBRARY } from '../fixtures/run-in-process.ts';
import { secretsCommands } from '../fixtures/secrets-commands.ts';
import { LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

/** Each secret contains this word, so that one search finds all leaks. */
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

/** Secrets by their format, under neutral names. */
const BY_FORMAT = Object.fromEntries(
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

/** Values that look like secrets but are not. */
const NOT_SECRET = {
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

const program = createProgram('secrets', secretsCommands(SOURCE_LIBRARY));
const secrets = (...argv: string[]): Promise<Run> => runInProcess(argv, program, { home: home.path });
const given = (values: object): string[] => ['--secrets', JSON.stringify(values)];
const output = ({ stdout, stderr }: Run): string => stdout + stderr;

describe.each([
  ['by name', BY_NAME],
  ['by format', BY_FORMAT],
])('secrets %s', (_how, values) => {
  it('are masked in an answer', async () => {
    const run = await secrets('secret', 'show', ...given(values));
    expect(run.code).toBe(0);
    expect(Object.keys(run.envelope.data as object)).toEqual(Object.keys(values));
    expect(run.stdout).not.toContain(HIDDEN);
    expect(run.stdout.match(/\[REDACTED\]/gu)?.length).toBeGreaterThanOrEqual(Object.keys(values).length);
  });

  it('are masked deep inside arrays and objects', async () => {
    const run = await secrets('secret', 'show', ...given({ list: [{ deep: [values] }] }));
    expect(run.stdout).not.toContain(HIDDEN);
  });

  it('are masked in the details of an error', async () => {
    const run = await secrets('secret', 'fail', ...given(values));
    expect(run.code).toBe(4);
    expect(JSON.stringify(run.envelope.error?.details)).toContain('[REDACTED]');
    // The hint is plain text, where a secret cannot be detected by its name.
    expect(JSON.stringify({ ...run.envelope.error?.details, hint: '' })).not.toContain(HIDDEN);
  });

  it('are masked in a preview, and in the answer to the write', async () => {
    const preview = await secrets('secret', 'store', ...given(values), '--dry-run');
    expect(output(preview)).not.toContain(HIDDEN);
    expect(preview.stdout).toContain('[REDACTED]');
    const result = await confirmInProcess(['secret', 'store', ...given(values)], program, {
      home: home.path,
    });
    expect([result.code, output(result).includes(HIDDEN)]).toEqual([0, false]);
  });
});

// secret-samples.test.ts starts this program too, with more secrets.
it.runIf(LONG)('secrets are masked in a program on the built library', () => {
  const options = { env: { SECRETS_HOME: home.path }, executable: exampleExecutable('secrets') };
  for (const values of [BY_NAME, BY_FORMAT]) {
    const shown = deed(['secret', 'show', ...given(values)], options);
    expect([shown.code, output(shown).includes(HIDDEN)]).toEqual([0, false]);
  }
  const warned = deed(['secret', 'warn', ...given(BY_FORMAT)], options);
  expect(warned.stderr).toContain('[REDACTED]');
  expect(output(warned)).not.toContain(HIDDEN);
});

describe('secrets by format', () => {
  it('are masked in messages, hints, progress and warnings', async () => {
    const failed = await secrets('secret', 'fail', ...given(BY_FORMAT));
    expect(output(failed)).not.toContain(HIDDEN);
    const warned = await secrets('secret', 'warn', ...given(BY_FORMAT));
    expect(warned.stderr).toMatch(/^secrets: progress [\s\S]+\nsecrets: warning /u);
    expect(output(warned)).not.toContain(HIDDEN);
    expect(output(await secrets('secret', 'fail', ...given(BY_FORMAT), '--format', 'text'))).not.toContain(
      HIDDEN,
    );
    expect(output(await secrets('secret', 'show', ...given(BY_FORMAT), '--format', 'text'))).not.toContain(
      HIDDEN,
    );
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
    ['invalid JSON', ['context', '--input', `{"password":"${HIDDEN}`]],
    ['a URL', ['config', 'set', 'update.release_url', `https://me:${HIDDEN}@example.com`, '--dry-run']],
  ])('are masked when passed as %s', (_where, argv) => {
    expect(output(deed(argv, { home: home.path }))).not.toContain(HIDDEN);
  });
});

describe('the audit log', () => {
  it('contains no secret of these calls in any file', () => {
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

describe('other values', () => {
  it('are unchanged', async () => {
    expect((await secrets('secret', 'show', ...given(NOT_SECRET))).envelope.data).toEqual(NOT_SECRET);
  });

  it('include whether credentials are set, but not their values', () => {
    const { data } = deed(['context'], { home: home.path, env: { ANTHROPIC_API_KEY: HIDDEN } }).envelope;
    expect(JSON.stringify(data)).not.toContain(HIDDEN);
    expect(data.credentials).toMatchObject({ configured: true, variables: { ANTHROPIC_API_KEY: true } });
  });
});
