import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, executable, ROOT, type Run } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const run = (...argv: string[]): Run => deed(argv, { home: home.path, cwd: home.path });
/** Starts the executable, in one test of each way to answer. */
const start = (...argv: string[]): Run => deed(argv, { home: home.path, cwd: home.path, ownProcess: true });
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** The keys of a JSON value in order. */
function keysOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).map(([key, member]) =>
    key === 'meta' || key === 'error' ? [key, keysOf(member)] : key,
  );
}

describe('an answer', () => {
  it('that succeeds has exactly these members in this order', () => {
    const { stdout, stderr, code } = start('config', 'get', 'list.limit');
    expect([code, stderr]).toEqual([0, '']);
    expect(keysOf(JSON.parse(stdout))).toEqual(['ok', 'schema_version', 'data', ['meta', ['duration_ms']]]);
    expect(stdout.replace(/"duration_ms": \d+/u, '"duration_ms": 0')).toBe(`{
  "ok": true,
  "schema_version": "1.0",
  "data": {
    "key": "list.limit",
    "value": 50,
    "source": "default",
    "default": 50,
    "description": "Rows on a page without --limit"
  },
  "meta": {
    "duration_ms": 0
  }
}
`);
  });

  it('that fails has exactly these members in this order', () => {
    const { stdout, stderr, code } = start('config', 'get', 'list.limti', '--compact');
    expect([code, stderr]).toEqual([3, '']);
    expect(keysOf(JSON.parse(stdout))).toEqual([
      'ok',
      'schema_version',
      ['error', ['code', 'message', 'details', 'retryable']],
      ['meta', ['duration_ms']],
    ]);
  });

  it('has the same members in the same order every time', () => {
    const orders = [1, 2, 3].map(() => JSON.stringify(keysOf(JSON.parse(run('context').stdout))));
    expect(new Set(orders).size).toBe(1);
  });

  it('is UTF-8 without a byte order mark, with one line feed at its end', () => {
    const [program, ...first] = executable();
    const { stdout } = spawnSync(program, [...first, 'config', 'get', 'ключ-日本-🦊'], {
      env: { PATH: process.env.PATH, DEED_HOME: home.path, LC_ALL: 'C' },
    });
    expect(stdout.subarray(0, 1).toString('latin1')).toBe('{');
    expect(stdout.subarray(-2).toString('latin1')).toBe('}\n');
    expect(stdout.includes('\r')).toBe(false);
    expect(stdout.includes(Buffer.from('ключ-日本-🦊'))).toBe(true);
    expect(stdout.toString('utf8')).toBe(new TextDecoder('utf-8', { fatal: true }).decode(stdout));
  });

  it('has no whitespace when it is compact, and is otherwise the same', () => {
    const wide = run('config', 'get', 'list.limit');
    const compact = run('config', 'get', 'list.limit', '--compact');
    expect(compact.stdout.split('\n')).toHaveLength(2);
    expect(compact.stdout).toBe(`${JSON.stringify(JSON.parse(compact.stdout))}\n`);
    expect(compact.envelope.data).toEqual(wide.envelope.data);
  });

  it('is the same for --json and --format json', () => {
    expect(run('config', 'get', 'list.limit', '--json').envelope.data).toEqual(
      run('config', 'get', 'list.limit', '--format', 'json').envelope.data,
    );
  });
});

describe('other formats', () => {
  it('text is on standard output, without an envelope', () => {
    const { stdout, stderr, code } = start('config', 'get', 'list.limit', '--format', 'text');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^key +list\.limit\nvalue +50\n/u);
  });

  it('raw is verbatim', () => {
    const { stdout } = start('completion', 'bash', '--format', 'raw');
    expect(stdout).toBe(run('completion', 'bash').envelope.data.script);
  });

  it('raw is rejected if the command has none, before it runs', () => {
    const { code, stdout, stderr } = start('context', '--format', 'raw');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      ok: false,
      error: { code: 'E_VALIDATION', details: { field: 'format', allowed: ['json', 'text'] } },
    });
    const { confirm_token } = run('config', 'set', 'list.limit', '7', '--dry-run').envelope.data as {
      confirm_token: string;
    };
    const write = ['config', 'set', 'list.limit', '7', '--confirm', confirm_token];
    expect(run(...write, '--format', 'raw').code).toBe(2);
    expect(run('config', 'get', 'list.limit').envelope.data.value).toBe(50);
    expect(run(...write).code).toBe(0);
  });

  it('an error in text format is only on standard error', () => {
    const { stdout, stderr, code } = start('nope', '--format', 'text');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^deed: E_USAGE Unknown command "nope"\.\n/u);
  });

  it('an invalid command line is answered in the requested format', () => {
    expect(start('nope', '--compact').stdout.split('\n')).toHaveLength(2);
    expect(run('--format=text', 'nope').stdout).toBe('');
    expect(run('nope', '--format').envelope.error?.code).toBe('E_USAGE');
  });
});

describe('quiet', () => {
  it('disables progress and nothing else', () => {
    const unset = ['config', 'unset', '--keys', 'list.limit,nope'];
    confirmed(['config', 'set', 'list.limit', '8'], { home: home.path });
    const { confirm_token } = run(...unset, '--dry-run').envelope.data as { confirm_token: string };
    const loud = start(...unset, '--confirm', confirm_token);
    expect(loud.stderr).toBe('deed: unset: 1 of 2\ndeed: unset: 2 of 2\n');
    confirmed(['config', 'set', 'list.limit', '8'], { home: home.path });
    const again = run(...unset, '--dry-run').envelope.data as { confirm_token: string };
    const quiet = start(...unset, '--confirm', again.confirm_token, '--quiet');
    expect([quiet.stderr, quiet.envelope.data]).toEqual(['', loud.envelope.data]);
    expect(run('nope', '--format', 'text', '--quiet').stderr).toContain('E_USAGE');
  });

  it('does not disable the audit log', () => {
    const count = (): number => run('audit', 'verify').envelope.data.lines as number;
    const before = count();
    run('context', '--quiet');
    expect(count()).toBe(before + 2);
  });
});

describe('help and version', () => {
  it('show the version in every format', () => {
    expect(start('--version').envelope.data).toEqual({ tool: 'deed', version });
    expect(run('--version', '--format', 'text').stdout).toBe(`deed ${version}\n`);
    expect(run('--version', '--format', 'raw').stdout).toBe(`${version}\n`);
    expect(run('context').envelope.data.version).toBe(version);
  });

  it('help is text, and an envelope with --format json', () => {
    const { stdout, code } = start('--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^deed ${version}: .+\\n\\nUsage: deed <command>`, 'u'));
    // As JSON it has the same words, and its lines are not broken.
    const words = (text: string): string[] => text.split(/\s+/u);
    for (const format of [['--format', 'json'], ['--json']]) {
      const { help } = run('--help', ...format).envelope.data;
      expect(words(help as string)).toEqual(words(stdout));
    }
  });

  it('help is for one command, one group, or everything', () => {
    const all = run('--help').stdout;
    const group = run('config', '--help').stdout;
    const one = run('config', 'set', '--help').stdout;
    expect(all).toContain('audit list');
    expect(group).toContain('config set');
    expect(group).not.toContain('audit list');
    expect(one).toMatch(/^deed config set <key> <value> \[flags\]\n/u);
    expect(one).toContain('--dry-run');
    expect(run('config', 'set', 'list.limit', '5', '--help').stdout).toBe(one);
  });

  it('a call without a command is the overview', () => {
    const { code, envelope } = start();
    expect([code, Object.keys(envelope.data)]).toEqual([
      0,
      ['tool', 'version', 'running', 'waiting', 'tasks', 'next', 'commands', '_untrusted'],
    ]);
    expect(envelope.data).toEqual(run('overview').envelope.data);
    expect(run('--format', 'text').stdout).toContain('Run "deed help"');
  });

  it('help with words is the help of a command', () => {
    expect(run('help', 'config', 'set').stdout).toBe(run('config', 'set', '--help').stdout);
    expect(run('help').stdout).toBe(run('--help').stdout);
    expect(run('help', 'nope').code).toBe(2);
  });

  it('a call with only a group is a usage error that lists the commands', () => {
    const group = run('config');
    expect([group.code, group.envelope.error?.details.allowed]).toEqual([
      2,
      ['config get', 'config list', 'config set', 'config unset', 'config trust'],
    ]);
  });
});

describe('untrusted text with characters that a terminal interprets or a reader cannot see', () => {
  const hidden = `a\u009B31m\u007F\u202Eb\u200Bc${String.fromCodePoint(0xe0041)}`;

  it.each(['json', 'text'])('is not printed raw as %s', (format) => {
    const home = createHome();
    try {
      const made = confirmed(['task', 'create', '--title', hidden], { home: home.path });
      expect(made.envelope.data.task.title).toBe(hidden);
      const { stdout } = deed(['task', 'list', '--format', format], { home: home.path });
      // eslint-disable-next-line no-control-regex -- control characters are the point
      expect(stdout).not.toMatch(/[\u007F-\u009F\u200B\u202E\u{E0000}-\u{E007F}]/u);
    } finally {
      home.dispose();
    }
  });
});
