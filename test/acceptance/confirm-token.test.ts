import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readToken, signToken, writeToken } from '../fixtures/forge-token.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { confirmed, createHome, deed, deedAsync, type Run, type RunOptions } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const SET = ['config', 'set', 'list.limit', '7'];
const run = (argv: readonly string[], options: RunOptions = {}): Run =>
  deed(argv, { home: home.path, ...options });
const dryRun = (argv: readonly string[] = SET, options: RunOptions = {}): string =>
  run([...argv, '--dry-run'], options).envelope.data.confirm_token as string;
const confirm = (token: string, argv: readonly string[] = SET, options: RunOptions = {}): Run =>
  run([...argv, `--confirm=${token}`], options);
const limit = (): unknown => run(['config', 'get', 'list.limit']).envelope.data.value;
const isSet = (): boolean => existsSync(join(home.path, 'config.json'));

/** The rejection of a token: exit code, error code, and the machine-readable reason. */
function rejection({ code, envelope }: Run): unknown[] {
  return [code, envelope.error?.code, envelope.error?.details.reason];
}

describe('a token', () => {
  beforeEach(() => rmSync(join(home.path, 'config.json'), { force: true }));

  it('has the documented format: at most 40 characters with its expiry inside', () => {
    const token = dryRun();
    expect(token).toMatch(/^ct_[A-Za-z0-9_-]{35}$/u);
    const parts = readToken(token);
    expect(writeToken(parts)).toBe(token);
    const inMinutes = (parts.expiresAtSeconds * 1000 - Date.now()) / 60_000;
    expect(inMinutes > 14 && inMinutes <= 15.02).toBe(true);
  });

  // A rejected token is not used up, so the tests below share one token of the same state.
  let issued: string | undefined;
  const anyToken = (): string => (issued ??= dryRun());

  it.each([
    ['empty', () => ''],
    ['of another kind', () => 'token'],
    ['without a signature', (token: string) => token.slice(0, 17)],
    ['that is too short', (token: string) => token.slice(0, -1)],
    ['that is too long', (token: string) => `${token}A`],
    ['with whitespace', (token: string) => ` ${token}`],
    ['very long', () => `ct_${'a'.repeat(100_000)}`],
    ['with another encoding of the same bytes', (token: string) => reencode(token)],
    ['of 0.1.0', () => `ct_${Buffer.from('{"expires_at":"2026"}').toString('base64url')}.${'0'.repeat(64)}`],
  ])('%s is malformed', (_what, change) => {
    expect(rejection(confirm(change(anyToken())))).toEqual([6, 'E_CONFLICT', 'malformed']);
    expect(isSet()).toBe(false);
  });

  it('with one changed character is rejected', () => {
    const token = anyToken();
    const changed = `${token.slice(0, 12)}${token[12] === 'A' ? 'B' : 'A'}${token.slice(13)}`;
    expect(rejection(confirm(changed))).toEqual([6, 'E_CONFLICT', 'changed']);
  });

  it('of another home is rejected, and the message names that possibility', () => {
    const other = createHome();
    const token = dryRun(SET, { home: other.path });
    dryRun();
    const rejected = confirm(token);
    expect(rejection(rejected)).toEqual([6, 'E_CONFLICT', 'changed']);
    expect(rejected.envelope.error?.message).toContain('issued by another account or machine');
    other.dispose();
  });

  it.each([
    ['that has expired', -1, 'expired'],
    ['from the future, after the clock was set back,', 3600, 'clock'],
  ])('%s is rejected', (_what, seconds, reason) => {
    const { nonce } = readToken(anyToken());
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + seconds;
    // The scope does not matter: the time is checked first.
    const token = signToken(home.path, { expiresAtSeconds, nonce }, '{}');
    expect(rejection(confirm(token))).toEqual([6, 'E_CONFLICT', reason]);
  });

  it.each([
    ['another value', ['config', 'set', 'list.limit', '8']],
    ['another target', ['config', 'set', 'update.timeout_ms', '700']],
    ['another command', ['config', 'unset', '--keys', 'list.limit']],
    ['a request id', [...SET, '--request-id', 'r1']],
  ])('is invalid for %s', (_what, argv) => {
    expect(rejection(confirm(anyToken(), argv))).toEqual([6, 'E_CONFLICT', 'changed']);
  });

  it('is invalid for another request id', () => {
    const token = dryRun([...SET, '--request-id', 'r1']);
    expect(rejection(confirm(token, [...SET, '--request-id', 'r2']))).toEqual([6, 'E_CONFLICT', 'changed']);
    expect(confirm(token, [...SET, '--idempotency-key', 'r1']).code).toBe(0);
  });

  it('is invalid for another agent', () => {
    const token = dryRun(SET, { env: { AI_AGENT: 'one' } });
    expect(rejection(confirm(token, SET, { env: { AI_AGENT: 'two' } }))).toEqual([
      6,
      'E_CONFLICT',
      'changed',
    ]);
    expect(rejection(confirm(token))).toEqual([6, 'E_CONFLICT', 'changed']);
    expect(confirm(token, SET, { env: { AI_AGENT: 'one' } }).code).toBe(0);
  });

  it('is invalid for another database, by variable or by flag', () => {
    const create = ['task', 'create', '--title', 'one'];
    const inFolder = (name: string): { env: Record<string, string> } => ({
      env: { VYBE_DB_PATH: join(home.path, name) },
    });
    const token = dryRun(create, inFolder('a.db'));
    expect(rejection(confirm(token, create, inFolder('b.db')))).toEqual([6, 'E_CONFLICT', 'changed']);
    expect(rejection(confirm(token, create))).toEqual([6, 'E_CONFLICT', 'changed']);
    expect(confirm(token, create, inFolder('a.db')).code).toBe(0);
    const relative = [...create, '--db-path', 'c.db'];
    const elsewhere = dryRun(relative, { cwd: tmpdir() });
    expect(rejection(confirm(elsewhere, relative, { cwd: home.path }))).toEqual([6, 'E_CONFLICT', 'changed']);
  });

  it('is invalid after the state has changed', () => {
    const token = dryRun();
    confirmed(['config', 'set', 'update.notices', 'false'], { home: home.path });
    expect(rejection(confirm(token))).toEqual([6, 'E_CONFLICT', 'changed']);
    expect(limit()).toBe(50);
  });

  it('of a batch is invalid for other targets, another order, or another --continue-on-error', () => {
    confirmed(SET, { home: home.path });
    const unset = ['config', 'unset', '--keys', 'list.limit,update.notices'];
    const token = dryRun(unset);
    for (const argv of [
      ['config', 'unset', '--keys', 'list.limit'],
      ['config', 'unset', '--keys', 'list.limit,update.notices,update.timeout_ms'],
      ['config', 'unset', '--keys', 'update.notices,list.limit'],
      [...unset, '--continue-on-error', 'false'],
    ]) {
      expect(rejection(confirm(token, argv))).toEqual([6, 'E_CONFLICT', 'changed']);
    }
    expect(confirm(token, unset).code).toBe(0);
  });

  it('is valid once', () => {
    // The token that was rejected above with other arguments; it is still valid.
    const token = anyToken();
    expect(confirm(token).code).toBe(0);
    rmSync(join(home.path, 'config.json'));
    expect(rejection(confirm(token))).toEqual([6, 'E_CONFLICT', 'used']);
    expect(limit()).toBe(50);
  });

  it('is reported as used after the state has changed, also when its target is gone', () => {
    const token = dryRun();
    expect(confirm(token).code).toBe(0);
    confirmed(['config', 'set', 'update.notices', 'false'], { home: home.path });
    expect(rejection(confirm(token))).toEqual([6, 'E_CONFLICT', 'used']);
    const created = confirmed(['task', 'create', '--title', 'one'], { home: home.path }).envelope.data;
    const remove = ['task', 'delete', '--id', (created.task as { id: string }).id];
    const removal = dryRun(remove);
    expect(confirm(removal, remove).code).toBe(0);
    expect(rejection(confirm(removal, remove))).toEqual([6, 'E_CONFLICT', 'used']);
  });

  it('is not issued for a request id that was used with other arguments', () => {
    confirmed([...SET, '--request-id', 'once'], { home: home.path });
    const other = run(['config', 'set', 'list.limit', '8', '--request-id', 'once', '--dry-run']);
    expect(rejection(other)).toEqual([6, 'E_CONFLICT', 'other_payload']);
    expect(run([...SET, '--request-id', 'once', '--dry-run']).code).toBe(0);
  });

  it('is used by exactly one of several concurrent processes', { timeout: 300_000 }, async () => {
    const file = join(home.path, 'notes.txt');
    const options = {
      env: { NOTES_HOME: home.path, NOTES_FILE: file },
      executable: exampleExecutable('notes'),
    };
    for (let round = 0; round < (LONG ? 50 : 1); round += 1) {
      rmSync(file, { force: true });
      const add = ['note', 'add', '--text', 'once'];
      const token = deed([...add, '--dry-run'], options).envelope.data.confirm_token as string;
      const runs = await Promise.all(
        [1, 2, 3, 4].map(() => deedAsync([...add, '--confirm', token], options)),
      );
      const outcomes = runs.map(({ code, envelope }) => [code, envelope.error?.details.reason] as const);
      expect(outcomes.sort(([a], [b]) => Number(a) - Number(b))).toEqual([
        [0, undefined],
        [6, 'used'],
        [6, 'used'],
        [6, 'used'],
      ]);
      expect(readFileSync(file, 'utf8')).toBe('once\n');
    }
  });

  it('for a state that a concurrent write has changed is rejected', { timeout: 300_000 }, async () => {
    for (let round = 0; round < (LONG ? 50 : 2); round += 1) {
      rmSync(join(home.path, 'config.json'), { force: true });
      const writes = [
        SET,
        ['config', 'set', 'update.timeout_ms', '700'],
        ['config', 'set', 'update.notices', 'false'],
      ];
      const tokens = writes.map((argv) => dryRun(argv));
      const runs = await Promise.all(
        writes.map((argv, index) => deedAsync([...argv, `--confirm=${tokens[index]}`], { home: home.path })),
      );
      const done = runs.flatMap(({ code, envelope }) => (code === 0 ? [String(envelope.data.key)] : []));
      const rejected = runs.filter(({ code }) => code !== 0).map(rejection);
      expect(rejected).toEqual([
        [6, 'E_CONFLICT', 'changed'],
        [6, 'E_CONFLICT', 'changed'],
      ]);
      expect(Object.keys(JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as object)).toEqual(
        done,
      );
    }
  });

  it('is issued without changing anything', () => {
    const before = readdirSync(home.path).sort();
    dryRun();
    expect([readdirSync(home.path).sort(), limit()]).toEqual([before, 50]);
  });
});

describe('marks of used tokens', () => {
  const consumed = (): string => join(home.path, 'consumed');
  const marksIn = (folder: string): string[] => readdirSync(folder).filter((name) => name !== 'pruned');
  beforeEach(() => {
    rmSync(join(home.path, 'config.json'), { force: true });
    rmSync(consumed(), { recursive: true, force: true });
  });

  /** Uses a token twice while a file blocks the folder of marks. */
  function useTwice(env: Readonly<Record<string, string>>): { first: Run; second: Run } {
    writeFileSync(consumed(), 'in the way');
    const token = dryRun(SET, { env });
    const first = confirm(token, SET, { env });
    rmSync(join(home.path, 'config.json'), { force: true });
    return { first, second: confirm(token, SET, { env }) };
  }

  it('are private files in the home, and are removed a day after they expire', () => {
    confirmed(SET, { home: home.path });
    const [mark = ''] = marksIn(consumed());
    expect(mark).toMatch(/^\d{13}-[0-9a-f]{64}$/u);
    const old = `${Date.now() - 25 * 3_600_000}-${'0'.repeat(64)}`;
    renameSync(join(consumed(), mark), join(consumed(), old));
    // The folder is cleaned once a day.
    rmSync(join(consumed(), 'pruned'));
    confirmed(['config', 'set', 'list.limit', '8'], { home: home.path });
    expect(marksIn(consumed())).toEqual([expect.not.stringContaining(old)]);
  });

  it('are in the runtime folder when the home is not writable', () => {
    const runtime = join(home.path, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    const { first, second } = useTwice({ XDG_RUNTIME_DIR: runtime });
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(rejection(second)).toEqual([6, 'E_CONFLICT', 'used']);
    expect(marksIn(join(runtime, 'deed-consumed'))).toHaveLength(1);
  });

  it('are in a private temporary folder when the runtime folder is not writable either', () => {
    const temporary = join(home.path, 'tmp');
    mkdirSync(temporary);
    writeFileSync(join(home.path, 'no-folder'), '');
    const { first, second } = useTwice({
      XDG_RUNTIME_DIR: join(home.path, 'no-folder'),
      TMPDIR: temporary,
    });
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(rejection(second)).toEqual([6, 'E_CONFLICT', 'used']);
    expect(marksIn(join(temporary, `deed-consumed-${process.geteuid?.()}`))).toHaveLength(1);
  });

  it('that cannot be written do not block the write, but are reported on standard error and in the audit log', () => {
    const prepared = join(home.path, 'prepared');
    mkdirSync(join(prepared, `deed-consumed-${process.geteuid?.()}`), { recursive: true });
    chmodSync(join(prepared, `deed-consumed-${process.geteuid?.()}`), 0o777);
    const { first } = useTwice({ TMPDIR: prepared });
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('could not be marked as used');
    const { items } = run(['audit', 'list', '--command', 'config set', '--limit', '3']).envelope.data as {
      items: { note?: string }[];
    };
    expect(items.some(({ note }) => note?.includes('could not be marked as used'))).toBe(true);
    expect(readdirSync(join(prepared, `deed-consumed-${process.geteuid?.()}`))).toEqual([]);
  });
});

describe('the key of tokens', () => {
  const secret = (): string => join(home.path, 'confirm.secret');
  const problem = (): unknown => {
    const { code, envelope } = run([...SET, '--dry-run']);
    return [code, envelope.error?.code, envelope.error?.details.problem];
  };
  beforeEach(() => {
    rmSync(secret(), { force: true });
    dryRun();
  });

  it('is 32 random bytes', () => {
    const content = readFileSync(secret(), 'utf8');
    expect(content).toMatch(/^[0-9a-f]{64}\n$/u);
    rmSync(secret());
    dryRun();
    expect(readFileSync(secret(), 'utf8')).not.toBe(content);
  });

  it('that is damaged is rejected and not modified', () => {
    writeFileSync(secret(), 'short');
    expect(problem()).toEqual([1, 'E_DAMAGED', 'it is not 32 bytes in hex']);
    expect(readFileSync(secret(), 'utf8')).toBe('short');
  });

  it('that others can read is rejected', () => {
    chmodSync(secret(), 0o640);
    expect(problem()).toEqual([4, 'E_CONFIG', 'is readable by other accounts']);
  });

  it('that is a link is rejected', () => {
    renameSync(secret(), `${secret()}.moved`);
    symlinkSync(`${secret()}.moved`, secret());
    expect(problem()).toEqual([4, 'E_CONFIG', 'is a symbolic link']);
  });

  it('is the same for concurrent processes', async () => {
    rmSync(secret());
    rmSync(join(home.path, 'config.json'), { force: true });
    const runs = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => deedAsync([...SET, '--dry-run'], { home: home.path })),
    );
    for (const { envelope } of runs) {
      rmSync(join(home.path, 'config.json'), { force: true });
      expect(confirm(envelope.data.confirm_token as string).code).toBe(0);
    }
    expect(readdirSync(home.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(existsSync(secret())).toBe(true);
  });
});

/** Encodes the payload in base64 with other unused bits at its end; a lenient decoder reads the same bytes. */
function reencode(token: string): string {
  const body = token.slice('ct_'.length);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet[alphabet.indexOf(body.at(-1) ?? '') ^ 1] ?? '';
  const reencoded = `${body.slice(0, -1)}${last}`;
  expect(Buffer.from(reencoded, 'base64url')).toEqual(Buffer.from(body, 'base64url'));
  return token.replace(body, reencoded);
}
