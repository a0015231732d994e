import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBench, item, resultsOf, shells, type WorkBench } from '../fixtures/work-bench.ts';

const NODE = process.execPath;
const SERVER = `exec ${NODE} -e "require('net').createServer((s) => s.end('pong')).listen(process.env.DEED_PORT)"`;
const CLIENT = `${NODE} -e "require('net').connect(process.env.DEED_PORT).on('error', () => process.exit(1)).on('data', (d) => { console.log(String(d)); process.exit(0) })"`;

interface Result {
  readonly item_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly error?: string;
  readonly denial_reason?: string;
}

let bench: WorkBench;
const results = new Map<string, Result>();

beforeAll(() => {
  bench = createBench();
  // Node may be in a folder that is private in a sandbox.
  const agents = { 'agent-1': { ...shells(bench.gate)['agent-1'], read_paths: [dirname(NODE)] } };
  writeFileSync(join(bench.home, 'config.json'), JSON.stringify({ 'work.agents': agents }));
  bench.write('.gitignore', 'cache/\n');
  bench.write('old.ts', 'console.log(1)\nline\n');
  bench.write('sub/keep.txt', 'x\n');
  const counter = join(bench.gate, 'attempts');
  const service = (more: object): object => ({ name: 'web', command: SERVER, ready: CLIENT, ...more });
  const run = bench.work(
    [
      item('allowed', 'mkdir -p src; echo x > src/a.ts', {
        paths: { allow: ['src/**'], deny: ['**/*.lock'] },
      }),
      item('outside', 'mkdir -p lib; echo x > lib/x.ts', { paths: { allow: ['src/**', '*.md'] } }),
      item('denied', 'echo x > y.lock', { paths: { deny: ['**/*.lock'] } }),
      item('long', 'printf "1\\n2\\n3\\n" > long.txt', { max_lines: 2 }),
      item('short', 'sed -i s/line/other/ old.ts', { max_lines: 2, forbid: ['console\\.log'] }),
      item('forbidden', 'printf "ok\\nconsole.log(2)\\n" > new.ts', {
        forbid: ['debugger', 'console\\.log'],
      }),
      item('hostile', `printf '%05000d' 0 | tr 0 a > many.txt; echo b >> many.txt`, { forbid: ['(a+)+$!'] }),
      item('prepared', 'cat cache/x > prepared.txt', { setup_command: 'mkdir -p cache; echo set > cache/x' }),
      item('unprepared', 'echo x > never.txt', { setup_command: 'echo broken; exit 3' }),
      item('folder', 'pwd > where.txt', {
        working_directory: 'sub',
        setup_command: 'test -e keep.txt',
        test_command: 'test -e where.txt && [ "$DEED_WORKING_DIRECTORY" = sub ]',
      }),
      item('nowhere', 'true', { working_directory: 'missing' }),
      item('variables', 'echo "$GREETING" > variables.txt', {
        env: { GREETING: 'hello there' },
        test_command: '[ "$GREETING" = "hello there" ]',
      }),
      item('served', `${CLIENT} > served.txt; sleep 0.3; echo $DEED_PORT $DEED_PORT_COUNT > port-1`, {
        services: [service({})],
        test_command: `${CLIENT} | grep -q pong`,
      }),
      item('parallel', 'sleep 0.3; echo $DEED_PORT > port-2', { services: [service({})] }),
      item('unready', 'echo x > never.txt', {
        services: [
          service({ name: 'db', command: 'echo starting; sleep 60', ready: 'false', timeout_ms: 400 }),
        ],
      }),
      item('crashing', 'echo x > never.txt', {
        services: [service({ command: 'echo no port >&2; exit 4' })],
      }),
      item('silent', 'echo x > never.txt', { services: [service({ command: 'exit 4' })] }),
      item('retried', `echo x >> ${counter}; [ "$(wc -l < ${counter})" -ge 2 ] && echo x > retried.txt`, {
        retries: 3,
      }),
    ],
    '--jobs',
    '4',
  );
  for (const result of resultsOf(run) as Result[]) results.set(result.item_id, result);
});
afterAll(() => bench.dispose());

const outcome = (id: string): unknown => {
  const { status, error, denial_reason } = results.get(id) ?? {};
  return [status, denial_reason ?? error];
};

describe('an item', () => {
  it('changes only the paths that it allows, and none that it denies', () => {
    expect(outcome('allowed')).toEqual(['success', undefined]);
    expect(outcome('outside')).toEqual(['denied', 'Changed paths that are not allowed: lib/x.ts']);
    expect(outcome('denied')).toEqual(['denied', 'Changed denied paths: y.lock']);
  });

  it('changes at most max_lines lines, added and deleted', () => {
    expect(outcome('long')).toEqual(['denied', 'Exceeded max lines: 3 > 2']);
    expect(outcome('short')).toEqual(['success', undefined]);
  });

  it('adds no line that a pattern forbids; lines that were there before do not count', () => {
    expect(outcome('forbidden')).toEqual([
      'denied',
      'Added a forbidden line, new.ts:2 matches console\\.log: console.log(2)',
    ]);
    expect(bench.read('old.ts')).toBe('console.log(1)\nother\n');
  });

  it('can have a pattern that would backtrack for years', () => {
    expect(outcome('hostile')).toEqual(['success', undefined]);
  });

  it('runs its setup command first, and does not start its agent if that fails', () => {
    expect([outcome('prepared'), bench.read('prepared.txt')]).toEqual([['success', undefined], 'set\n']);
    expect(outcome('unprepared')).toEqual(['failure', 'The setup command failed: exit code 3\nbroken']);
    expect(existsSync(join(bench.tree, 'cache'))).toBe(false);
    const folder = join(bench.home, 'runs', results.get('unprepared')?.run_id ?? '');
    expect(readFileSync(join(folder, 'setup.log'), 'utf8')).toBe('broken\n');
    expect(bench.deed(['receipt', 'verify']).envelope.ok).toBe(true);
  });

  it('starts all its commands in its working directory', () => {
    expect([outcome('folder'), bench.read('sub/where.txt')]).toEqual([
      ['success', undefined],
      `${join(bench.tree, 'sub')}\n`,
    ]);
    expect(outcome('nowhere')).toEqual(['failure', 'The working directory does not exist: missing']);
  });

  it('has its own variables', () => {
    expect([outcome('variables'), bench.read('variables.txt')]).toEqual([
      ['success', undefined],
      'hello there\n',
    ]);
  });

  it('has services, on ports that no other run has, and they end with it', async () => {
    expect([outcome('served'), outcome('parallel')]).toEqual([
      ['success', undefined],
      ['success', undefined],
    ]);
    expect(bench.read('served.txt')).toBe('pong\n');
    const [first = 0, count] = bench.read('port-1').trim().split(' ').map(Number);
    expect(count).toBe(10);
    expect(Math.abs(first - Number(bench.read('port-2')))).toBeGreaterThanOrEqual(10);
    const refused = await new Promise((resolve) => {
      createConnection(first)
        .on('error', () => resolve(true))
        .on('connect', () => resolve(false));
    });
    expect(refused).toBe(true);
    expect(readdirSync(join(bench.home, 'work/ports'))).toEqual([]);
  });

  it('fails with the last output of a service that is not ready', () => {
    expect(outcome('unready')).toEqual(['failure', 'Service db was not ready within 400 ms:\nstarting']);
    expect(outcome('crashing')).toEqual(['failure', 'Service web exited before it was ready:\nno port']);
    expect(outcome('silent')).toEqual([
      'failure',
      'Service web exited before it was ready; it printed nothing',
    ]);
    expect(existsSync(join(bench.tree, 'never.txt'))).toBe(false);
  });

  it('is run again after a failure, as often as it allows, with a receipt for each run', () => {
    expect(outcome('retried')).toEqual(['success', undefined]);
    const { items } = bench.deed(['work', 'list', '--limit', '100']).envelope.data;
    const runs = (items as { item_id: string; status: string }[]).filter(
      ({ item_id }) => item_id === 'retried',
    );
    expect(runs.map(({ status }) => status)).toEqual(['success', 'failure']);
  });

  it('is shown with all its rules in the dry run', () => {
    const rules = {
      input_files: ['a.txt'],
      output_files: ['src/b.ts'],
      paths: { allow: ['src/**'], deny: ['*.lock'] },
      max_lines: 10,
      forbid: ['debugger'],
      setup_command: 'npm ci',
      working_directory: 'sub',
      env: { A: 'b' },
      services: [{ name: 'db', command: 'run', ready: 'check', timeout_ms: 5 }],
      retries: 2,
    };
    const { preview } = bench.deed(['work', 'run', bench.plan([item('all', 'true', rules)]), '--dry-run'])
      .envelope.data;
    expect(preview.changes[0].after).toMatchObject(rules);
    expect(preview.changes[0].after).not.toHaveProperty('missing_inputs');
    const argv = ['work', 'run', bench.plan([item('all', 'true', rules)]), '--dry-run', '--format', 'text'];
    const text = bench.deed(argv).stdout;
    for (const line of [
      '    input_files: a.txt\n    output_files: src/b.ts\n',
      '    paths:\n      allow: src/**\n      deny: *.lock\n',
      '    services:\n      name db, command run, ready check, timeout_ms 5\n',
    ])
      expect(text).toContain(line);
  });

  it('is shown with its missing input files in the dry run, unless an item before it creates them', () => {
    const plan = bench.plan([
      item('first', 'true', { input_files: ['a.txt', 'gone.txt'], output_files: ['made', 'out/x.txt'] }),
      item('second', 'true', { dependencies: ['first'] }),
      item('third', 'true', { dependencies: ['second'], input_files: ['made/y.txt', 'out', 'other.txt'] }),
    ]);
    const missing = (...flags: string[]): unknown[] => {
      const { data } = bench.deed(['work', 'run', plan, '--dry-run', ...flags]).envelope;
      return data.preview.changes.map(
        ({ after }: { after: Record<string, unknown> }) => after.missing_inputs,
      );
    };
    expect(missing()).toEqual([['gone.txt'], undefined, ['other.txt']]);
    const { stdout, stderr } = bench.deed(['work', 'run', plan, '--dry-run', '--format', 'text']);
    expect(stdout).toContain('    missing_inputs: gone.txt\n');
    expect(stderr).toContain(
      'Input files of item "first" are missing: gone.txt; the item fails unless they exist when it starts.',
    );
    expect(stderr).toContain('"third" are missing: other.txt; they do not exist yet, and no item before it');
    // Items that land on a branch start from its commit.
    bench.git('config', 'user.name', 't');
    bench.git('config', 'user.email', 't@example.org');
    rmSync(join(bench.tree, 'a.txt'));
    expect(missing('--branch', 'deed/rules')[0]).toEqual(['gone.txt']);
    expect(missing()[0]).toEqual(['a.txt', 'gone.txt']);
    bench.write('a.txt', 'one\n');
  });

  it.each([
    ['a pattern with lookaround', { forbid: ['(?=x)y'] }, 'forbid.0 is not a valid pattern: (?=x)y'],
    [
      'a pattern for paths that is not closed',
      { paths: { allow: ['{a'] } },
      'paths.allow.0 is not a valid pattern',
    ],
    ['a variable of deed', { env: { DEED_HOME: 'x' } }, 'env: must have names'],
    ['a variable that loads code', { env: { NODE_OPTIONS: '--import x' } }, 'env: must have names'],
    ['a folder outside the tree', { working_directory: '../x' }, 'working_directory: must be a path inside'],
    ['a service without a check', { services: [{ name: 'a', command: 'b' }] }, 'services.0.ready is missing'],
    ['too many retries', { retries: 11 }, 'retries: must be at most 10'],
  ])('is rejected with %s', (_, more, text) => {
    const { error } = bench.deed([
      'work',
      'run',
      bench.plan([item('bad', 'true', more)]),
      '--dry-run',
    ]).envelope;
    expect([error?.code, error?.message]).toEqual(['E_VALIDATION', expect.stringContaining(text)]);
  });
});
