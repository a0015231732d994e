import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendAudit } from '../../src/contract/audit-log.ts';
import { ensurePrivateFolder } from '../../src/system/private-folder.ts';
import { schemaProblems } from '../fixtures/check-envelope.ts';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeEach(async () => {
  home = createHome();
  for (const month of ['2024-01', '2024-02', '2024-03']) {
    for (const day of ['01', '15', '28'])
      await append(`${month}-${day}`, `config ${day === '01' ? 'get' : 'set'}`);
  }
  await continueNow();
});
afterEach(() => home.dispose());

/** After a pause, the first lines stay in the last month, in case the clock is wrong. */
async function continueNow(): Promise<void> {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  for (let line = 0; line < 21; line += 1) await append(yesterday, 'config get');
}

/** Appends a line of the past, as an earlier call would have. */
async function append(day: string, command: string): Promise<void> {
  const at = (...segments: string[]): string => join(home.path, ...segments);
  const folder = (...segments: string[]): string => {
    ensurePrivateFolder(at(...segments));
    return at(...segments);
  };
  const entry = {
    at: `${day}T10:00:00.000Z`,
    phase: 'end',
    command,
    args: {},
    account: {},
    agent: null,
    request_id: null,
    exit_code: day.endsWith('28') ? 1 : 0,
    code: day.endsWith('28') ? 'E_IO' : null,
    duration_ms: 1,
  } as const;
  await appendAudit({ path: home.path, at, folder }, entry, { sync: false });
}

const run = (...argv: string[]): Run => deed(argv, { home: home.path });
const file = (name: string): string => join(home.path, 'audit', name);
const files = (): string[] => readdirSync(join(home.path, 'audit')).filter((name) => /\d/u.test(name));
const months = ({ envelope }: Run): string[] =>
  (envelope.data.retired as { month: string }[]).map(({ month }) => month);
const look = (...argv: string[]): Run => deed(argv, { home: home.path });
const doctor = (): string =>
  look('doctor').envelope.data.checks.find(({ check }: { check: string }) => check === 'audit')
    .status as string;

function retire(...argv: string[]): Run {
  const { envelope } = run('audit', 'retire', ...argv, '--dry-run');
  const token = envelope.data.confirm_token as string;
  return run('audit', 'retire', ...argv, '--confirm', token, '--dangerous');
}

describe('audit retire', () => {
  it('lists the months with their lines and bytes, and needs a token and --dangerous', () => {
    const argv = ['audit', 'retire', '--before', '2024-03'];
    const { data } = run(...argv, '--dry-run').envelope;
    const january = {
      action: 'retire',
      resource: 'audit_month',
      id: '2024-01',
      before: {
        lines: 3,
        calls: 3,
        bytes: statSync(file('audit-2024-01.jsonl')).size,
        first_at: '2024-01-01T10:00:00.000Z',
        last_at: '2024-01-28T10:00:00.000Z',
      },
    };
    expect(data.preview.changes).toMatchObject([january, { id: '2024-02' }]);
    expect(run(...argv).code).toBe(5);
    expect(run(...argv, '--confirm', data.confirm_token).envelope.error?.details.next).toBe('dangerous');
    expect(files()).not.toContain('retired-2024-01.json');
    expect(run(...argv, '--confirm', data.confirm_token, '--dangerous').envelope.ok).toBe(true);
  });

  it('replaces the months by summaries, keeps their lines compressed, and the log still verifies', () => {
    const lines = readFileSync(file('audit-2024-01.jsonl'));
    const retired = retire('--before', '2024-03-15');
    expect(retired.envelope.error).toBeUndefined();
    expect(retired.envelope.data.retired[0]).toMatchObject({
      month: '2024-01',
      lines: 3,
      calls: 3,
      failed: 1,
      commands: { 'config get': 1, 'config set': 2 },
      prev: '0'.repeat(64),
      kept: 'audit-2024-01.jsonl.gz',
    });
    expect(files().filter((name) => name.includes('2024'))).toEqual([
      'audit-2024-01.jsonl.gz',
      'audit-2024-02.jsonl.gz',
      'audit-2024-03.jsonl',
      'retired-2024-01.json',
      'retired-2024-02.json',
    ]);
    expect(gunzipSync(readFileSync(file('audit-2024-01.jsonl.gz')))).toEqual(lines);
    expect(statSync(file('audit-2024-01.jsonl.gz')).mode & 0o777).toBe(0o600);
    const verified = run('audit', 'verify');
    expect([verified.envelope.ok, months(verified), doctor()]).toEqual([
      true,
      ['2024-01', '2024-02'],
      'pass',
    ]);
    const { output } = deed(['reference', '--schema', '--command', 'audit verify']).envelope.data
      .json_schemas['audit verify'] as { output: object };
    expect(schemaProblems(verified.envelope.data, output)).toEqual([]);
    // Later months follow, and what was retired stays so.
    expect(months(retire('--before', '2024-04'))).toEqual(['2024-03']);
    expect(months(run('audit', 'verify'))).toEqual(['2024-01', '2024-02', '2024-03']);
    expect(months(retire('--before', '2024-04'))).toEqual([]);
  });

  it('deletes the lines with --delete, also of months that are retired already', () => {
    retire('--before', '2024-02');
    const retired = retire('--before', '2024-03', '--delete');
    expect(months(retired)).toEqual(['2024-01', '2024-02']);
    expect(retired.envelope.data.freed_bytes).toBeGreaterThan(0);
    expect(files().filter((name) => name.endsWith('.gz'))).toEqual([]);
    expect([run('audit', 'verify').envelope.ok, doctor()]).toEqual([true, 'pass']);
  });

  it('is detected when a summary or the kept lines are changed or removed', () => {
    retire('--before', '2024-03');
    const problem = (name: string, change: (path: string) => void): [string, string] => {
      const path = file(name);
      copyFileSync(path, join(home.path, 'saved'));
      change(path);
      const { error } = look('audit', 'verify').envelope;
      const result: [string, string] = [error?.details.problems[0].problem as string, doctor()];
      copyFileSync(join(home.path, 'saved'), path);
      expect(look('audit', 'verify').envelope.ok).toBe(true);
      return result;
    };
    const edit = (from: string, to: string) => (path: string) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
    expect(problem('retired-2024-01.json', rmSync)).toEqual([
      'missing or repeated lines: 0 is followed by 4',
      'fail',
    ]);
    expect(problem('retired-2024-02.json', rmSync)).toEqual([
      'missing or repeated lines: 3 is followed by 7',
      'fail',
    ]);
    expect(problem('retired-2024-02.json', edit('"calls": 3', '"calls": 2'))).toEqual([
      'changed summary of a retired month',
      'fail',
    ]);
    expect(problem('retired-2024-02.json', (path) => writeFileSync(path, '{'))).toEqual([
      'unreadable summary of a retired month',
      'fail',
    ]);
    expect(problem('audit-2024-01.jsonl.gz', rmSync)[0]).toContain('are missing');
    expect(
      problem('audit-2024-01.jsonl.gz', (path) => copyFileSync(file('audit-2024-02.jsonl.gz'), path))[0],
    ).toBe('changed lines of a retired month');
  });

  it('rejects a log that was altered, and a month that has not ended', () => {
    writeFileSync(
      file('audit-2024-01.jsonl'),
      readFileSync(file('audit-2024-01.jsonl'), 'utf8').replace('config get', 'config set'),
    );
    const altered = run('audit', 'retire', '--before', '2024-03', '--dry-run');
    expect([altered.code, altered.envelope.error?.code]).toEqual([1, 'E_DAMAGED']);
    for (const before of ['2999-01', 'soon', '2024-13'])
      expect(run('audit', 'retire', '--before', before, '--dry-run').envelope.error?.code).toBe(
        'E_VALIDATION',
      );
    const month = new Date().toISOString().slice(0, 7);
    expect(existsSync(file(`audit-${month}.jsonl`))).toBe(true);
  });

  it('rejects a month that was altered since the dry run, and the token stays valid', async () => {
    const argv = ['audit', 'retire', '--before', '2024-04'];
    rmSync(home.path, { recursive: true });
    await append('2024-03-01', 'config get');
    await continueNow();
    const { confirm_token } = run(...argv, '--dry-run').envelope.data as { confirm_token: string };
    const before = readFileSync(file('audit-2024-03.jsonl'));
    writeFileSync(file('audit-2024-03.jsonl'), before.subarray(0, 0));
    const refused = run(...argv, '--confirm', confirm_token, '--dangerous');
    expect([refused.code, refused.envelope.error?.code]).toEqual([1, 'E_DAMAGED']);
    writeFileSync(file('audit-2024-03.jsonl'), before);
    expect(months(run(...argv, '--confirm', confirm_token, '--dangerous'))).toEqual(['2024-03']);
  });

  it('that was killed between the summary and the log is finished by the next one', () => {
    const log = readFileSync(file('audit-2024-01.jsonl'));
    retire('--before', '2024-02');
    writeFileSync(file('audit-2024-01.jsonl'), log);
    expect([run('audit', 'verify').envelope.ok, doctor()]).toEqual([true, 'pass']);
    retire('--before', '2024-03');
    expect(files()).not.toContain('audit-2024-01.jsonl');
    expect(run('audit', 'verify').envelope.ok).toBe(true);
  });

  it('lets the log continue when its head is lost', () => {
    retire('--before', '2024-04');
    rmSync(file('head.json'));
    run('context');
    const { error } = run('audit', 'verify').envelope;
    expect(error?.details.problems.map(({ problem }: { problem: string }) => problem)).toEqual([
      'the head was lost before this line',
    ]);
  });
});
