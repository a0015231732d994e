import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { createHome, deed, executable, type Envelope, type RunOptions } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

/** Calls deed and checks the answer against the contract. */
function call(argv: readonly string[], options: RunOptions = {}): Envelope {
  const run = deed(argv, { home: home.path, cwd: home.path, ...options });
  expect(envelopeProblems(run)).toEqual([]);
  expect(run.stderr).toBe('');
  return run.envelope;
}

function rejection(argv: readonly string[], options: RunOptions = {}): { code?: string; details: unknown } {
  const { error } = call(argv, options);
  return { ...(error && { code: error.code }), details: error?.details };
}

const targets = (argv: readonly string[], options: RunOptions = {}): unknown =>
  call(['config', 'unset', ...argv, '--dry-run'], options).data?.preview.targets;

describe('a command line without a valid command', () => {
  it.each([
    ['a typo in a word', ['contxt'], 'context'],
    ['a typo in a group', ['confg', 'get', 'list.limit'], 'config'],
    ['a typo in a verb', ['config', 'gte', 'list.limit'], 'config get'],
    ['the verb of another program', ['task', 'show', 'task_1'], 'task get'],
    ['another such verb', ['task', 'done', '--id', 'task_1'], 'task complete'],
    ['a plural', ['tasks', 'list'], 'task list'],
    ['a verb before its noun', ['list', 'tasks'], 'task list'],
    ['a verb without its noun', ['approve'], 'work approve'],
    ['a flag without its dashes', ['version'], '--version'],
  ])('%s is answered with a suggestion', (_what, argv, suggestion) => {
    const { code, details } = rejection(argv);
    expect(code).toBe('E_USAGE');
    expect((details as { suggestion: string }).suggestion).toContain(suggestion);
  });

  it('an unknown word is answered with all commands and no suggestion', () => {
    const { details } = rejection(['xyzzyplugh']);
    expect(details).toMatchObject({ command: 'xyzzyplugh' });
    expect(details).not.toHaveProperty('suggestion');
    expect((details as { allowed: string[] }).allowed).toContain('config set');
  });

  it.each([
    ['an empty word', ['']],
    ['a name like an inherited member', ['__proto__']],
    ['another such name', ['constructor', 'name']],
    ['a very long word', ['x'.repeat(100_000)]],
    ['only the end of flags', ['--']],
    ['a group', ['config']],
    ['a group with flags', ['audit', '--compact', '--format', 'json']],
  ])('%s is a usage error', (_what, argv) => {
    expect(rejection(argv).code).toBe('E_USAGE');
  });

  it('a group is answered with its commands', () => {
    expect(rejection(['audit']).details).toMatchObject({
      allowed: ['audit list', 'audit export', 'audit verify', 'audit retire'],
    });
  });
});

describe('a flag', () => {
  it('with a typo is rejected with a suggestion', () => {
    expect(rejection(['audit', 'list', '--limti', '3'])).toMatchObject({
      code: 'E_USAGE',
      details: { flag: '--limti', suggestion: '--limit' },
    });
  });

  it.each([
    ['-v', '--version'],
    ['-f', undefined],
    ['--task-id', '--id'],
    ['--ID', '--id'],
  ])('of another program, %s, is answered with %s', (flag, suggestion) => {
    expect((rejection(['task', 'get', flag, 'x']).details as { suggestion?: string }).suggestion).toBe(
      suggestion,
    );
  });

  it('-h shows help, but after a flag it is a value', () => {
    const help = deed(['task', 'list', '-h'], { home: home.path });
    expect(help.stdout).toBe(deed(['task', 'list', '--help'], { home: home.path }).stdout);
    expect(deed(['task', '-h', '--quiet'], { home: home.path }).stdout).toContain('task create');
    expect(rejection(['task', 'get', '--id', '-h']).code).toBe('E_NOT_FOUND');
  });

  it.each([
    ['-', '', 'is empty'],
    ['plan.json', '', 'is not JSON'],
  ])('--input %s without JSON says how to pass it', (source, input, problem) => {
    const { details } = rejection(['task', 'list', '--input', source], { input });
    expect(details).toMatchObject({
      problem,
      hint: expect.stringContaining('--input @file to read a file') as string,
    });
  });

  it('of config set with = says to pass name and value as two arguments', () => {
    const { error } = deed(['config', 'set', 'list.limit=10'], { home: home.path }).envelope;
    expect(error?.message).toContain('with a space instead of =');
  });

  it('of config unset with a typo is answered with the nearest setting', () => {
    const { data } = deed(['config', 'unset', 'list.limt', '--dry-run'], { home: home.path }).envelope;
    expect(data.preview.unresolved[0].error.message).toBe(
      '"list.limt" is not set in the home configuration; did you mean "list.limit"?',
    );
  });

  it('is named when a command without positional arguments gets one', () => {
    const { details } = rejection(['memory', 'get', 'test-command']);
    expect((details as { hint: string }).hint).toContain('It accepts only flags: --key, ');
  });

  it('among the members of --input is named as a flag', () => {
    const { details } = rejection(['task', 'list', '--input', '{"fields":["id"]}']);
    expect((details as { hint: string }).hint).toBe(
      'Pass --fields next to the parameters, not as one of them.',
    );
  });

  it('that is unknown is answered with the flags of this command, nearest first', () => {
    const read = rejection(['audit', 'list', '--limti', '3']).details as { allowed: string[] };
    expect(read.allowed[0]).toBe('--limit');
    expect(read.allowed).toEqual(expect.arrayContaining(['--fields', '--format', '--command']));
    for (const flag of [
      '--dry-run',
      '--confirm',
      '--request-id',
      '--idempotency-key',
      '--dangerous',
      '--json',
    ])
      expect(read.allowed).not.toContain(flag);
    const write = rejection(['config', 'set', 'a', 'b', '--confrim', 'x']).details as { allowed: string[] };
    expect(write.allowed[0]).toBe('--confirm');
    expect(write.allowed).toContain('--dry-run');
  });

  it.each([
    ['--json and --format text', ['--json', '--format', 'text']],
    ['--format=raw and --json', ['--format=raw', '--json']],
    ['two values of --format', ['--format', 'json', '--format', 'text']],
    ['two values of --format on help', ['--help', '--format', 'text', '--format=json']],
  ])('that contradicts another format is rejected: %s', (_what, flags) => {
    expect(rejection(['context', ...flags])).toMatchObject({ code: 'E_USAGE', details: { field: 'format' } });
  });

  it('may repeat the same format as --json', () => {
    expect(call(['context', '--json', '--format', 'json']).ok).toBe(true);
  });

  it.each(['-x', '-limit', '---limit', '--', '--=', '--dangerous'])(
    'that is unknown (%s) is rejected',
    (flag) => {
      expect(rejection(['audit', 'list', flag, 'x']).code).toBe('E_USAGE');
    },
  );

  it.each([
    ['at the end of the line', ['config', 'get', '--key']],
    ['before another flag', ['config', 'get', '--key', '--compact']],
  ])('without its value %s is rejected', (_where, argv) => {
    expect(rejection(argv)).toMatchObject({ code: 'E_USAGE', details: { field: 'key', flag: '--key' } });
  });

  it.each([
    ['an integer', '--limit', '1.5', 'limit'],
    ['a number', '--limit', 'many', 'limit'],
    ['within its bounds', '--limit', '0', 'limit'],
    ['small enough', '--limit', '1001', 'limit'],
    ['a safe number', '--limit', '9999999999999999999', 'limit'],
    ['true or false', '--failed=maybe', '', 'failed'],
  ])('that is not %s is rejected with its field', (_what, flag, value, field) => {
    const argv = ['audit', 'list', flag, ...(value === '' ? [] : [value])];
    expect(rejection(argv)).toMatchObject({ code: 'E_VALIDATION', details: { field } });
  });

  it('with a value that is not allowed is rejected with the allowed values', () => {
    expect(rejection(['completion', '--shell', 'fihs'])).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'shell', allowed: ['bash', 'zsh', 'fish'], suggestion: 'fish' },
    });
    expect(rejection(['context', '--format', 'xml'])).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'format', allowed: ['json', 'text', 'raw'] },
    });
  });

  it('set twice is rejected, also by its alias', () => {
    expect(rejection(['audit', 'list', '--limit', '1', '--limit', '1']).code).toBe('E_USAGE');
    expect(rejection(['config', 'set', 'a', 'b', '--request-id', 'x', '--idempotency-key', 'y']).code).toBe(
      'E_USAGE',
    );
  });

  it('set by name and by position is rejected', () => {
    expect(rejection(['config', 'get', 'list.limit', '--key', 'list.limit'])).toMatchObject({
      code: 'E_USAGE',
      details: { field: 'key' },
    });
  });

  it('accepts its value after a space or an equals sign, before or after the command', () => {
    const expected = call(['config', 'get', '--key', 'list.limit']).data;
    expect(call(['config', 'get', '--key=list.limit']).data).toEqual(expected);
    expect(call(['--compact', '--format', 'json', 'config', 'get', 'list.limit']).data).toEqual(expected);
    expect(call(['config', '--compact', 'get', 'list.limit']).data).toEqual(expected);
  });

  it('that is a boolean accepts true, false or no value', () => {
    const failed = (...flag: string[]): number =>
      call(['audit', 'list', ...flag, '--limit', '1000']).data.count as number;
    const all = failed('--failed', 'false');
    expect(failed('--failed=false')).toBe(all + 1);
    expect(failed('--failed')).toBeLessThan(all);
    expect(failed('--failed', 'true')).toBe(failed('--failed=true'));
  });

  it('--help or --version that is false has no effect', () => {
    expect(call(['config', 'get', 'list.limit', '--help', 'false', '--version=false']).data.key).toBe(
      'list.limit',
    );
  });

  it('that does not apply to a command is rejected, not ignored', () => {
    expect(rejection(['context', '--dry-run'])).toMatchObject({
      code: 'E_USAGE',
      details: { flag: '--dry-run' },
    });
    expect(rejection(['context', '--confirm', 'x'])).toMatchObject({
      code: 'E_USAGE',
      details: { flag: '--confirm' },
    });
    expect(rejection(['update', '--confirm', 'x']).code).toBe('E_USAGE');
  });

  it.each([
    ['empty', ''],
    ['too long', 'x'.repeat(201)],
  ])('with a request id that is %s is rejected', (_what, id) => {
    expect(rejection(['config', 'set', 'list.limit', '1', '--dry-run', '--request-id', id])).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'request_id' },
    });
  });
});

describe('a plural flag', () => {
  it.each([
    ['with commas', ['--keys', 'b,a,c']],
    ['repeated', ['--keys', 'b', '--keys', 'a', '--keys', 'c']],
    ['mixed, with spaces and empty parts', ['--keys', 'b, a', '--keys=,c,']],
    ['with repeats', ['--keys', 'b,a,b', '--keys', 'c,a']],
    ['by its alias', ['--key', 'b,a', '--key', 'c']],
    ['by both names', ['--key', 'b', '--keys', 'a', '--key', 'c,b']],
    ['by position', ['b', 'a', 'c']],
    ['by position with commas', ['b,a', 'c']],
  ])('%s names the same targets in the same order', (_how, argv) => {
    expect(targets(argv)).toEqual(['b', 'a', 'c']);
  });

  it.each([
    ['an array', { keys: ['b', 'a', 'c', 'a'] }],
    ['the alias', { key: ['b', 'a', 'c'] }],
    ['both names', { keys: ['b', 'a'], key: ['c'] }],
    ['both names, one of them single', { keys: ['b', 'a'], key: 'c' }],
  ])('as %s in JSON names the same targets', (_how, input) => {
    expect(targets(['--input', JSON.stringify(input)])).toEqual(['b', 'a', 'c']);
  });

  it.each([
    ['nothing', ['--keys', '']],
    ['only commas', ['--keys', ',,']],
    ['an empty array', ['--input', '{"keys":[]}']],
    ['a string instead of an array', ['--input', '{"keys":"a"}']],
    ['no flag at all', []],
    ['too many', ['--input', '-']],
  ])('with %s is rejected', (_what, argv) => {
    const many = JSON.stringify({ keys: Array.from({ length: 10_001 }, (_, index) => `k${index}`) });
    expect(rejection(['config', 'unset', ...argv, '--dry-run'], { input: many })).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'keys' },
    });
  });
});

describe('positional arguments', () => {
  it('beyond those of the command are rejected', () => {
    expect(rejection(['config', 'get', 'list.limit', 'more'])).toMatchObject({
      code: 'E_USAGE',
      details: { argument: 'more' },
    });
    expect(rejection(['context', 'more']).code).toBe('E_USAGE');
  });

  it('after -- are never flags', () => {
    expect(call(['config', 'get', '--', 'list.limit']).data.key).toBe('list.limit');
    expect(rejection(['config', 'get', '--', '--help'])).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(rejection(['config', 'get', '--', '--version'])).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(rejection(['config', 'get', '--', '--format'])).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  it('can be negative numbers', () => {
    expect(rejection(['config', 'set', 'list.limit', '-5', '--dry-run'])).toMatchObject({
      code: 'E_VALIDATION',
      details: { setting: 'list.limit' },
    });
  });

  it('that are not UTF-8 are rejected in any position', () => {
    for (const line of ["config get $'\\xff'", "config get --key=$'\\xc3'", "$'\\xfe'"]) {
      const words = executable().map((word) => `'${word}'`);
      const { status, stdout } = spawnSync('bash', ['-c', `${words.join(' ')} ${line}`], {
        env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path, LC_ALL: 'C' },
        encoding: 'utf8',
      });
      expect(envelopeProblems({ code: status, stdout })).toEqual([]);
      expect([status, (JSON.parse(stdout) as Envelope).error?.code]).toEqual([2, 'E_VALIDATION']);
    }
  });
});

describe('parameters as JSON', () => {
  const file = (content: string | Uint8Array): string => {
    writeFileSync(join(home.path, 'input.json'), content);
    return '@input.json';
  };

  it('are rejected if a member is there twice, as a flag that is there twice is', () => {
    const run = rejection(['task', 'create', '--input', '{"title":"x","title":"y"}', '--dry-run']);
    const problem = 'has the member "title" more than once; pass each parameter once';
    expect(run).toMatchObject({ code: 'E_VALIDATION', details: { field: 'input', problem } });
  });

  it('come from a file, from standard input, or from the argument', () => {
    const input = '{"key":"list.limit"}';
    for (const [source, options] of [
      [file(input), {}],
      ['-', { input }],
      [input, {}],
    ] as const) {
      expect(call(['config', 'get', '--input', source], options).data.key).toBe('list.limit');
    }
  });

  it('come from a named pipe of a shell', () => {
    const words = executable().map((word) => `'${word}'`);
    const line = `${words.join(' ')} config get --input @<(echo '{"key":"list.limit"}')`;
    const { stdout } = spawnSync('bash', ['-c', line], {
      env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path },
      encoding: 'utf8',
    });
    expect((JSON.parse(stdout) as Envelope).data.key).toBe('list.limit');
  });

  it('can have ten megabytes', () => {
    const input = JSON.stringify({
      keys: Array.from({ length: 10_000 }, (_, index) => `k${index}${'x'.repeat(1000)}`),
    });
    expect(input.length).toBeGreaterThan(10_000_000);
    expect(targets(['--input', '-'], { input })).toHaveLength(10_000);
    // A file is read by the same parser, so the answer of this call need not be large too.
    expect(targets(['--input', file(`{"keys":["a"]${' '.repeat(10_000_000)}}`)])).toEqual(['a']);
  });

  it.each([
    ['that are too large', () => `{"key":"${'x'.repeat(17 * 1024 * 1024)}"}`, 'E_VALIDATION'],
    ['that are not JSON', () => '{"key":', 'E_VALIDATION'],
    ['that are not UTF-8', () => new Uint8Array([0x22, 0xff, 0x22]), 'E_VALIDATION'],
    ['that are not an object', () => '["key"]', 'E_VALIDATION'],
    ['that are empty', () => '', 'E_VALIDATION'],
    [
      'that are nested too deeply',
      () => `{"key":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'E_VALIDATION',
    ],
    ['with a number that cannot be stored exactly', () => '{"key":12345678901234567890}', 'E_VALIDATION'],
    ['with a lone surrogate', () => String.raw`{"key":"\ud800"}`, 'E_VALIDATION'],
    ['with a lone surrogate in a name', () => String.raw`{"\udc00":"x"}`, 'E_VALIDATION'],
    ['with NUL', () => String.raw`{"key":"a\u0000b"}`, 'E_VALIDATION'],
    ['with a prototype', () => '{"__proto__":{"key":"list.limit"}}', 'E_VALIDATION'],
    ['with a prototype and other members', () => '{"key":"list.limit","__proto__":{"x":1}}', 'E_VALIDATION'],
    ['with an unknown name', () => '{"kye":"list.limit"}', 'E_VALIDATION'],
    ['with a global flag', () => '{"key":"list.limit","format":"text"}', 'E_VALIDATION'],
  ])('%s are rejected', (_what, input, code) => {
    expect(rejection(['config', 'get', '--input', '-'], { input: input() }).code).toBe(code);
  });

  it('from a file are rejected for the same reasons', () => {
    for (const content of ['x'.repeat(17 * 1024 * 1024), '{', new Uint8Array([0xff]), '[]']) {
      expect(rejection(['config', 'get', '--input', file(content)]).code).toBe('E_VALIDATION');
    }
  });

  it('from an endless device are rejected', () => {
    expect(rejection(['config', 'get', '--input', '@/dev/zero']).code).toBe('E_VALIDATION');
  });

  it('from a pipe are awaited for five seconds', () => {
    const pipe = join(home.path, 'pipe');
    spawnSync('mkfifo', [pipe]);
    expect(call(['config', 'get', '--input', `@${pipe}`]).error?.message).toContain('sent no data for');
    const [program, ...first] = executable();
    const argv = ['--preserve-status', '0.5', program, ...first, 'config', 'get', '--input', `@${pipe}`];
    const env = { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path };
    expect(spawnSync('timeout', argv, { env }).status).toBe(130);
    const words = executable().map((word) => `'${word}'`);
    const line = `{ sleep 0.3; echo '{"key":"list.limit"}'; } > ${pipe} & ${words.join(' ')} config get --input @${pipe}`;
    const { stdout } = spawnSync('bash', ['-c', line], { env, encoding: 'utf8' });
    expect((JSON.parse(stdout) as Envelope).data.key).toBe('list.limit');
  });

  it('from a missing file or a folder are rejected', () => {
    expect(rejection(['config', 'get', '--input', '@nowhere.json']).code).toBe('E_NOT_FOUND');
    expect(rejection(['config', 'get', '--input', '@.']).code).toBe('E_IO');
  });

  it('are not shown when they are invalid: they may contain a secret', () => {
    for (const input of ['{"password":"hunter2secret" oops}', '{"password":"hunter2secret"']) {
      expect(JSON.stringify(call(['config', 'get', '--input', input]))).not.toContain('hunter2');
    }
  });

  it('in addition to a flag are rejected', () => {
    expect(
      rejection(['config', 'get', '--key', 'list.limit', '--input', '{"key":"list.limit"}']),
    ).toMatchObject({
      code: 'E_USAGE',
      details: { field: 'key' },
    });
  });

  it('are rejected with all invalid fields', () => {
    expect(
      rejection(['audit', 'list', '--input', '{"limit":"x","agent":1,"nope":true}']).details,
    ).toMatchObject({
      field: 'agent',
      problems: [
        { field: 'agent', problem: 'must be of type string' },
        { field: 'limit', problem: 'must be of type number' },
        { field: 'nope', problem: 'is not a parameter of this command' },
      ],
    });
  });
});
