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

/** Calls deed and holds the answer against the contract before anything else is said about it. */
function call(argv: readonly string[], options: RunOptions = {}): Envelope {
  const run = deed(argv, { home: home.path, cwd: home.path, ...options });
  expect(envelopeProblems(run)).toEqual([]);
  expect(run.stderr).toBe('');
  return run.envelope;
}

function refusal(argv: readonly string[], options: RunOptions = {}): { code?: string; details: unknown } {
  const { error } = call(argv, options);
  return { ...(error && { code: error.code }), details: error?.details };
}

const targets = (argv: readonly string[], options: RunOptions = {}): unknown =>
  call(['config', 'unset', ...argv, '--dry-run'], options).data?.preview.targets;

describe('a command line that names no command', () => {
  it.each([
    ['a typo in a word', ['contxt'], 'context'],
    ['a typo in a group', ['confg', 'get', 'list.limit'], 'config'],
    ['a typo in a verb', ['config', 'gte', 'list.limit'], 'config get'],
  ])('%s is answered with what was meant', (_what, argv, suggestion) => {
    const { code, details } = refusal(argv);
    expect(code).toBe('E_USAGE');
    expect((details as { suggestion: string }).suggestion).toContain(suggestion);
  });

  it('nothing near has no suggestion, but the whole choice', () => {
    const { details } = refusal(['xyzzyplugh']);
    expect(details).toMatchObject({ command: 'xyzzyplugh' });
    expect(details).not.toHaveProperty('suggestion');
    expect((details as { allowed: string[] }).allowed).toContain('config set');
  });

  it.each([
    ['an empty word', ['']],
    ['a name that every object has', ['__proto__']],
    ['another such name', ['constructor', 'name']],
    ['a very long word', ['x'.repeat(100_000)]],
    ['only the end of flags', ['--']],
    ['nothing', []],
    ['a group', ['config']],
    ['a group with flags', ['audit', '--compact', '--format', 'json']],
  ])('%s is a usage error', (_what, argv) => {
    expect(refusal(argv).code).toBe('E_USAGE');
  });

  it('a group is answered with its commands', () => {
    expect(refusal(['audit']).details).toMatchObject({
      allowed: ['audit list', 'audit export', 'audit verify'],
    });
  });
});

describe('a flag', () => {
  it('with a typo is refused with the one that was meant', () => {
    expect(refusal(['audit', 'list', '--limti', '3'])).toMatchObject({
      code: 'E_USAGE',
      details: { flag: '--limti', suggestion: '--limit' },
    });
  });

  it.each(['-x', '-limit', '---limit', '--', '--=', '--dangerous'])('unknown as %s is refused', (flag) => {
    expect(refusal(['audit', 'list', flag, 'x']).code).toBe('E_USAGE');
  });

  it.each([
    ['at the end of the line', ['config', 'get', '--key']],
    ['before another flag', ['config', 'get', '--key', '--compact']],
  ])('without its value %s is refused', (_where, argv) => {
    expect(refusal(argv)).toMatchObject({ code: 'E_USAGE', details: { field: 'key', flag: '--key' } });
  });

  it.each([
    ['a whole number', '--limit', '1.5', 'limit'],
    ['a number at all', '--limit', 'many', 'limit'],
    ['within its bounds', '--limit', '0', 'limit'],
    ['small enough', '--limit', '1001', 'limit'],
    ['a safe number', '--limit', '9999999999999999999', 'limit'],
    ['true or false', '--failed=maybe', '', 'failed'],
  ])('that is not %s is refused with its field', (_what, flag, value, field) => {
    const argv = ['audit', 'list', flag, ...(value === '' ? [] : [value])];
    expect(refusal(argv)).toMatchObject({ code: 'E_VALIDATION', details: { field } });
  });

  it('outside its choice is refused with the choice, a flag of every command too', () => {
    expect(refusal(['completion', '--shell', 'fihs'])).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'shell', allowed: ['bash', 'zsh', 'fish'], suggestion: 'fish' },
    });
    expect(refusal(['context', '--format', 'xml'])).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'format', allowed: ['json', 'text', 'raw'] },
    });
  });

  it('given twice is refused, by its older name too', () => {
    expect(refusal(['audit', 'list', '--limit', '1', '--limit', '1']).code).toBe('E_USAGE');
    expect(refusal(['config', 'set', 'a', 'b', '--request-id', 'x', '--idempotency-key', 'y']).code).toBe(
      'E_USAGE',
    );
  });

  it('given by name and by place is refused', () => {
    expect(refusal(['config', 'get', 'list.limit', '--key', 'list.limit'])).toMatchObject({
      code: 'E_USAGE',
      details: { field: 'key' },
    });
  });

  it('takes its value after a space or an equals sign, before the command or behind it', () => {
    const expected = call(['config', 'get', '--key', 'list.limit']).data;
    expect(call(['config', 'get', '--key=list.limit']).data).toEqual(expected);
    expect(call(['--compact', '--format', 'json', 'config', 'get', 'list.limit']).data).toEqual(expected);
    expect(call(['config', '--compact', 'get', 'list.limit']).data).toEqual(expected);
  });

  it('that is a boolean takes true, false or nothing', () => {
    const failed = (...flag: string[]): number =>
      call(['audit', 'list', ...flag, '--limit', '1000']).data.count as number;
    const all = failed('--failed', 'false');
    expect(failed('--failed=false')).toBe(all + 1);
    expect(failed('--failed')).toBeLessThan(all);
    expect(failed('--failed', 'true')).toBe(failed('--failed=true'));
  });

  it('for help or version that is switched off is not obeyed', () => {
    expect(call(['config', 'get', 'list.limit', '--help', 'false', '--version=false']).data.key).toBe(
      'list.limit',
    );
  });

  it('that makes no sense on a command is refused rather than ignored', () => {
    expect(refusal(['context', '--dry-run'])).toMatchObject({
      code: 'E_USAGE',
      details: { flag: '--dry-run' },
    });
    expect(refusal(['context', '--confirm', 'x'])).toMatchObject({
      code: 'E_USAGE',
      details: { flag: '--confirm' },
    });
    expect(refusal(['config', 'set', 'list.limit', '1', '--fields', 'key']).code).toBe('E_USAGE');
    expect(refusal(['update', '--confirm', 'x']).code).toBe('E_USAGE');
  });

  it.each([
    ['empty', ''],
    ['too long', 'x'.repeat(201)],
  ])('for a request id that is %s is refused', (_what, id) => {
    expect(refusal(['config', 'set', 'list.limit', '1', '--dry-run', '--request-id', id])).toMatchObject({
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
    ['by its older name', ['--key', 'b,a', '--key', 'c']],
    ['by both names', ['--key', 'b', '--keys', 'a', '--key', 'c,b']],
    ['by place', ['b', 'a', 'c']],
    ['by place with commas', ['b,a', 'c']],
  ])('%s names the same targets in the same order', (_how, argv) => {
    expect(targets(argv)).toEqual(['b', 'a', 'c']);
  });

  it.each([
    ['a list', { keys: ['b', 'a', 'c', 'a'] }],
    ['the older name', { key: ['b', 'a', 'c'] }],
    ['both names', { keys: ['b', 'a'], key: ['c'] }],
    ['both names, one of them single', { keys: ['b', 'a'], key: 'c' }],
  ])('as %s in JSON names them too', (_how, input) => {
    expect(targets(['--input', JSON.stringify(input)])).toEqual(['b', 'a', 'c']);
  });

  it.each([
    ['nothing', ['--keys', '']],
    ['only commas', ['--keys', ',,']],
    ['an empty list', ['--input', '{"keys":[]}']],
    ['no list', ['--input', '{"keys":"a"}']],
    ['no flag at all', []],
    ['too many', ['--input', '-']],
  ])('with %s is refused', (_what, argv) => {
    const many = JSON.stringify({ keys: Array.from({ length: 10_001 }, (_, index) => `k${index}`) });
    expect(refusal(['config', 'unset', ...argv, '--dry-run'], { input: many })).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'keys' },
    });
  });
});

describe('arguments without a flag', () => {
  it('beyond those a command takes are refused', () => {
    expect(refusal(['config', 'get', 'list.limit', 'more'])).toMatchObject({
      code: 'E_USAGE',
      details: { argument: 'more' },
    });
    expect(refusal(['context', 'more']).code).toBe('E_USAGE');
  });

  it('behind the end of flags are never flags', () => {
    expect(call(['config', 'get', '--', 'list.limit']).data.key).toBe('list.limit');
    expect(refusal(['config', 'get', '--', '--help'])).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(refusal(['config', 'get', '--', '--version'])).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(refusal(['config', 'get', '--', '--format'])).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  it('may be negative numbers', () => {
    expect(refusal(['config', 'set', 'list.limit', '-5', '--dry-run'])).toMatchObject({
      code: 'E_VALIDATION',
      details: { setting: 'list.limit' },
    });
  });

  it('that are not UTF-8 are refused, wherever they stand', () => {
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

  it('come from a file, from standard input, or as they are', () => {
    const input = '{"key":"list.limit"}';
    for (const [source, options] of [
      [file(input), {}],
      ['-', { input }],
      [input, {}],
    ] as const) {
      expect(call(['config', 'get', '--input', source], options).data.key).toBe('list.limit');
    }
  });

  it('come from a pipe, as shells make them', () => {
    const words = executable().map((word) => `'${word}'`);
    const line = `${words.join(' ')} config get --input @<(echo '{"key":"list.limit"}')`;
    const { stdout } = spawnSync('bash', ['-c', line], {
      env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path },
      encoding: 'utf8',
    });
    expect((JSON.parse(stdout) as Envelope).data.key).toBe('list.limit');
  });

  it('may be large: ten megabytes are read and answered', () => {
    const input = JSON.stringify({
      keys: Array.from({ length: 10_000 }, (_, index) => `k${index}${'x'.repeat(1000)}`),
    });
    expect(input.length).toBeGreaterThan(10_000_000);
    expect(targets(['--input', '-'], { input })).toHaveLength(10_000);
    // A file is another way to the same parser, so there it need not answer with as much again.
    expect(targets(['--input', file(`{"keys":["a"]${' '.repeat(10_000_000)}}`)])).toEqual(['a']);
  });

  it.each([
    ['that are too large', () => `{"key":"${'x'.repeat(17 * 1024 * 1024)}"}`, 'E_VALIDATION'],
    ['that are no JSON', () => '{"key":', 'E_VALIDATION'],
    ['that are no UTF-8', () => new Uint8Array([0x22, 0xff, 0x22]), 'E_VALIDATION'],
    ['that are no object', () => '["key"]', 'E_VALIDATION'],
    ['that are nothing', () => '', 'E_VALIDATION'],
    [
      'that are nested without end',
      () => `{"key":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'E_VALIDATION',
    ],
    ['with half a surrogate pair', () => String.raw`{"key":"\ud800"}`, 'E_VALIDATION'],
    ['with half a surrogate pair in a name', () => String.raw`{"\udc00":"x"}`, 'E_VALIDATION'],
    ['with NUL', () => String.raw`{"key":"a\u0000b"}`, 'E_VALIDATION'],
    ['with a prototype', () => '{"__proto__":{"key":"list.limit"}}', 'E_VALIDATION'],
    ['with a prototype beside the rest', () => '{"key":"list.limit","__proto__":{"x":1}}', 'E_VALIDATION'],
    ['with an unknown name', () => '{"kye":"list.limit"}', 'E_VALIDATION'],
    ['with a flag of every command', () => '{"key":"list.limit","format":"text"}', 'E_VALIDATION'],
  ])('%s are refused', (_what, input, code) => {
    expect(refusal(['config', 'get', '--input', '-'], { input: input() }).code).toBe(code);
  });

  it('from a file are refused for the same reasons', () => {
    for (const content of ['x'.repeat(17 * 1024 * 1024), '{', new Uint8Array([0xff]), '[]']) {
      expect(refusal(['config', 'get', '--input', file(content)]).code).toBe('E_VALIDATION');
    }
  });

  it('from a device without end are refused', () => {
    expect(refusal(['config', 'get', '--input', '@/dev/zero']).code).toBe('E_VALIDATION');
  });

  it('from a file that is not there, or is a folder, are refused', () => {
    expect(refusal(['config', 'get', '--input', '@nowhere.json']).code).toBe('E_NOT_FOUND');
    expect(refusal(['config', 'get', '--input', '@.']).code).toBe('E_IO');
  });

  it('are not shown when they cannot be read: they may hold a secret', () => {
    for (const input of ['{"password":"hunter2secret" oops}', '{"password":"hunter2secret"']) {
      expect(JSON.stringify(call(['config', 'get', '--input', input]))).not.toContain('hunter2');
    }
  });

  it('and as a flag at once are refused', () => {
    expect(
      refusal(['config', 'get', '--key', 'list.limit', '--input', '{"key":"list.limit"}']),
    ).toMatchObject({
      code: 'E_USAGE',
      details: { field: 'key' },
    });
  });

  it('tell every field that is wrong', () => {
    expect(
      refusal(['audit', 'list', '--input', '{"limit":"x","agent":1,"nope":true}']).details,
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
