import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, deedAsync, type Run, type RunOptions } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const run = (argv: readonly string[], options: RunOptions = {}): Run =>
  deed(argv, { home: home.path, ...options });
const verify = (path: string = home.path): Run => deed(['audit', 'verify'], { home: path });
const folder = (path: string = home.path): string => join(path, 'audit');
const log = (path: string = home.path): string =>
  join(folder(path), readdirSync(folder(path)).find((name) => name.endsWith('.jsonl')) ?? '');
const linesOf = (path: string): string[] => readFileSync(log(path), 'utf8').trimEnd().split('\n');
const write = (path: string, lines: readonly string[]): void =>
  writeFileSync(log(path), lines.map((line) => `${line}\n`).join(''));

describe('every call', () => {
  it('is logged with its caller, command and outcome', () => {
    const agent = { env: { AI_AGENT: 'tester/1.0' } };
    run(['config', 'get', 'list.limit'], agent);
    run(['config', 'get', 'nope']);
    run(['nope', 'list', '--password', 'hunter2', '{"token":"t"}']);
    confirmed(['config', 'set', 'list.limit', '7'], { home: home.path, ...agent });
    run(['config', 'set', 'list.limit', '8']);
    const { items } = run(['audit', 'list']).envelope.data as { items: Record<string, unknown>[] };
    const logged = items
      .toReversed()
      .map(({ phase, command, args, agent, exit_code, code }) => [
        phase,
        command,
        args,
        agent,
        exit_code,
        code,
      ]);
    const set = { key: 'list.limit', value: '7' };
    expect(logged).toEqual([
      ['end', 'config get', { key: 'list.limit' }, 'tester/1.0', 0, null],
      ['end', 'config get', { key: 'nope' }, null, 3, 'E_NOT_FOUND'],
      ['end', null, { words: ['nope', 'list'] }, null, 2, 'E_USAGE'],
      ['end', 'config set', { ...set, dry_run: true }, 'tester/1.0', 0, null],
      ['begin', 'config set', set, 'tester/1.0', null, null],
      ['end', 'config set', set, 'tester/1.0', 0, null],
      ['end', 'config set', { key: 'list.limit', value: '8' }, null, 5, 'E_CONFIRMATION_REQUIRED'],
    ]);
    for (const item of items) {
      expect(item.account).toEqual({
        user: expect.any(String),
        uid: String(process.getuid?.()),
        host: expect.any(String),
      });
      expect(String(item.at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
    }
  });

  it.each([
    ['CLAUDECODE', '1', 'claude-code'],
    ['CURSOR_AGENT', '1', 'cursor'],
    ['DEED_AGENT', 'mine', 'mine'],
  ])('identifies an agent by %s', (variable, value, agent) => {
    expect(run(['context'], { env: { [variable]: value } }).envelope.data.account.agent).toBe(agent);
  });

  it('logs only the size of long arguments', () => {
    run(['config', 'get', 'x'.repeat(5000)]);
    const { items } = run(['audit', 'list', '--limit', '1']).envelope.data as { items: { args: object }[] };
    expect(items[0]?.args).toEqual({ omitted_characters: expect.any(Number) });
  });

  it('of concurrent processes is in one valid chain', { timeout: 120_000 }, async () => {
    const before = linesOf(home.path).length;
    const count = LONG ? 100 : 20;
    const runs = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        deedAsync(['config', 'get', 'list.limit'], { home: home.path, env: { AI_AGENT: `agent-${index}` } }),
      ),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
    expect(verify().envelope.data).toEqual({ valid: true, lines: before + count });
    const agents = linesOf(home.path).map((line) => (JSON.parse(line) as { agent: string }).agent);
    expect(new Set(agents.filter((agent) => agent?.startsWith('agent-'))).size).toBe(count);
  });
});

describe('a log', () => {
  let copy: ReturnType<typeof createHome>;
  /** Changes a copy of the log and returns the problems that `audit verify` finds. */
  function problems(change: (path: string) => void): string[] {
    copy = createHome();
    cpSync(home.path, copy.path, { recursive: true });
    change(copy.path);
    const { code, envelope } = verify(copy.path);
    copy.dispose();
    if (envelope.ok) return [];
    expect([code, envelope.error?.code]).toEqual([1, 'E_DAMAGED']);
    const found = envelope.error?.details.problems as { line: number; problem: string }[];
    return found.map(({ line, problem }) => `${line}: ${problem}`);
  }
  const editLines = (edit: (lines: string[]) => string[]) => (path: string) =>
    write(path, edit(linesOf(path)));

  it('that is unchanged is valid', () => {
    expect(problems(() => undefined)).toEqual([]);
  });

  it('with a changed line is detected', () => {
    const edit = editLines((lines) => lines.with(2, lines[2]?.replace('E_USAGE', 'E_OTHER') ?? ''));
    expect(problems(edit)).toEqual(['3: changed line']);
  });

  it('with a changed line and a hash computed without the key is detected', () => {
    const edit = editLines((lines) => {
      const line = JSON.parse(lines[2] ?? '') as Record<string, unknown>;
      return lines.with(2, JSON.stringify({ ...line, code: 'E_OTHER', hash: 'f'.repeat(64) }));
    });
    expect(problems(edit)).toContain('3: changed line');
  });

  it('with a removed line is detected', () => {
    expect(problems(editLines((lines) => lines.toSpliced(2, 1)))).toEqual([
      '3: missing or repeated lines: 2 is followed by 4',
    ]);
  });

  it('with swapped lines is detected', () => {
    const edit = editLines((lines) => lines.with(2, lines[3] ?? '').with(3, lines[2] ?? ''));
    expect(problems(edit).map((problem) => problem.split(':')[0])).toEqual(['3', '4', '5']);
  });

  it('with a repeated line, or text that is not a line, is detected', () => {
    expect(problems(editLines((lines) => lines.toSpliced(2, 0, lines[1] ?? '')))[0]).toContain('repeated');
    expect(problems(editLines((lines) => lines.toSpliced(2, 0, 'x')))).toEqual(['3: unreadable line']);
  });

  it('without its first line is detected', () => {
    expect(problems(editLines((lines) => lines.slice(1)))).toEqual([
      '1: missing or repeated lines: 0 is followed by 2',
    ]);
  });

  it('that is truncated, between lines or inside one, is detected', () => {
    const last = linesOf(home.path).length;
    expect(problems(editLines((lines) => lines.slice(0, -2)))).toEqual([
      `${last - 2}: truncated: the head is at line ${last}, but the log ends at line ${last - 2}`,
    ]);
    expect(problems((path) => writeFileSync(log(path), readFileSync(log(path)).subarray(0, -20)))).toEqual([
      `${last - 1}: truncated: the head is at line ${last}, but the log ends at line ${last - 1}`,
    ]);
    expect(problems((path) => rmSync(log(path)))).toEqual([
      `0: truncated: the head is at line ${last}, but the log ends at line 0`,
    ]);
  });

  it('that is truncated is detected after further calls', () => {
    expect(
      problems((path) => {
        write(path, linesOf(path).slice(0, -2));
        deed(['context'], { home: path });
      })[0],
    ).toContain('missing or repeated lines');
  });

  it.each([
    ['missing', (path: string) => rmSync(join(folder(path), 'head.json'))],
    ['damaged', (path: string) => writeFileSync(join(folder(path), 'head.json'), '{'.repeat(1000))],
    ['empty', (path: string) => writeFileSync(join(folder(path), 'head.json'), '')],
  ])('with a head that is %s is detected, also after further calls', (_what, damage) => {
    expect(problems(damage)[0]).toContain('the head is missing');
    const cut = problems((path) => {
      write(path, linesOf(path).slice(0, -2));
      damage(path);
      deed(['context'], { home: path });
      deed(['context'], { home: path });
    });
    expect(cut).toEqual([expect.stringContaining('the head was lost before this line')]);
  });

  it.each([
    ['was removed', (key: string) => rmSync(key), 'it is missing'],
    ['is another one', (key: string) => writeFileSync(key, `${'0'.repeat(64)}\n`), 'did not sign'],
  ])(
    'whose key %s is not called altered, no line is signed with another key, and the old key works again',
    (_what, damage, problem) => {
      copy = createHome();
      const { path } = copy;
      cpSync(home.path, path, { recursive: true });
      const key = join(folder(path), 'chain.key');
      const bytes = readFileSync(key);
      damage(key);
      const verified = deed(['audit', 'verify'], { home: path });
      expect(verified.envelope.error).toMatchObject({
        code: 'E_DAMAGED',
        message: expect.stringContaining(problem),
        details: { path: key, hint: expect.stringContaining('Restore') },
      });
      const { checks } = deed(['doctor'], { home: path }).envelope.data;
      expect(checks.find(({ check }: { check: string }) => check === 'audit')).toMatchObject({
        status: 'fail',
      });
      const write = deed(['config', 'set', 'list.limit', '7', '--dry-run'], { home: path });
      expect(write.stderr).toContain('not in the audit log');
      writeFileSync(key, bytes, { mode: 0o600 });
      expect(deed(['audit', 'verify'], { home: path }).code).toBe(0);
      copy.dispose();
    },
  );

  it('whose key is lost can be moved aside, and a new log begins', () => {
    copy = createHome();
    const { path } = copy;
    cpSync(home.path, path, { recursive: true });
    rmSync(join(folder(path), 'chain.key'));
    for (const name of ['audit', 'audit.anchor']) renameSync(join(path, name), join(path, `${name}.old`));
    deed(['context'], { home: path });
    expect(deed(['audit', 'verify'], { home: path }).envelope.data).toMatchObject({ valid: true });
    copy.dispose();
  });

  it.each([
    [
      'the logs and the head are removed',
      (path: string) => {
        rmSync(log(path));
        rmSync(join(folder(path), 'head.json'));
      },
    ],
    [
      'the logs and the head are empty',
      (path: string) => {
        writeFileSync(log(path), '');
        writeFileSync(join(folder(path), 'head.json'), '');
      },
    ],
    [
      'the logs are empty and the head is at the start',
      (path: string) => {
        const head = { seq: 0, hash: '0'.repeat(64), file: basename(log(path)), bytes: 0 };
        writeFileSync(log(path), '');
        writeFileSync(join(folder(path), 'head.json'), JSON.stringify(head));
      },
    ],
    ['the whole folder is removed', (path: string) => rmSync(folder(path), { recursive: true })],
  ])('that is emptied is detected: %s', (_what, empty) => {
    expect(problems(empty)).toEqual(['0: the log is empty, but lines were written before']);
    expect(doctorAfter(empty)).toBe('fail');
  });

  it('that is emptied is detected after further calls', () => {
    const found = problems((path) => {
      rmSync(folder(path), { recursive: true });
      for (let call = 0; call < 3; call += 1) deed(['context'], { home: path });
    });
    expect(found).toEqual(['1: the head was lost before this line']);
  });

  /** Changes a copy of the log and returns what doctor reports about it. */
  function doctorAfter(change: (path: string) => void): string | undefined {
    const other = createHome();
    cpSync(home.path, other.path, { recursive: true });
    change(other.path);
    const { checks } = deed(['doctor'], { home: other.path }).envelope.data as {
      checks: { check: string; status: string }[];
    };
    other.dispose();
    return checks.find(({ check }) => check === 'audit')?.status;
  }

  it('that is truncated or edited makes doctor fail', () => {
    expect(doctorAfter(() => undefined)).toBe('pass');
    expect(doctorAfter(editLines((lines) => lines.slice(0, -2)))).toBe('fail');
    expect(
      doctorAfter(
        editLines((lines) => [...lines.slice(0, -1), lines.at(-1)?.replace('"end"', '"beg"') ?? '']),
      ),
    ).toBe('fail');
    expect(
      doctorAfter(editLines((lines) => lines.with(2, lines[2]?.replace('E_USAGE', 'E_OTHER') ?? ''))),
    ).toBe('fail');
    expect(doctorAfter(editLines((lines) => lines.toSpliced(3, 1)))).toBe('fail');
  });
});

describe('a crash', () => {
  it('in the middle of a line is repaired by the next call', () => {
    const lines = linesOf(home.path).length;
    appendFileSync(log(), '{"at":"2026-01-01T00:00:00.000Z","phase":"e');
    expect(verify().envelope.data).toEqual({ valid: true, lines });
    expect(verify().envelope.data).toEqual({ valid: true, lines: lines + 1 });
    expect(run(['audit', 'list', '--limit', '1']).envelope.data.items[0].command).toBe('audit verify');
  });

  it('between the line and the head loses no line', () => {
    const head = readFileSync(join(folder(), 'head.json'));
    run(['context']);
    const lines = linesOf(home.path).length;
    writeFileSync(join(folder(), 'head.json'), head);
    expect(verify().envelope.data).toEqual({ valid: true, lines });
    expect(verify().envelope.data).toEqual({ valid: true, lines: lines + 1 });
  });

  it('with a stale lock does not block the next call', () => {
    writeFileSync(join(folder(), 'lock'), '');
    expect(run(['context']).stderr).toBe('');
    expect(verify().envelope.data.valid).toBe(true);
  });
});
