import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

const benches: WorkBench[] = [];
const open = (settings: Record<string, unknown> = {}): WorkBench => {
  const bench = createBench(settings);
  benches.push(bench);
  return bench;
};
afterEach(() => benches.splice(0).forEach((bench) => bench.dispose()));

const isRoot = process.getuid?.() === 0;

describe('without a sandbox', () => {
  /** Root under Landlock counts as unsandboxed; it works on every machine whose kernel has Landlock. */
  const UNABLE = { 'work.isolation': 'landlock' };

  it.runIf(isRoot)('a run is rejected before it starts, and the error says how to fix it', () => {
    const bench = open(UNABLE);
    const plan = bench.plan([item('p', `echo x > made.txt; echo x > ${bench.gate}/outside`)]);
    const { envelope } = bench.deed(['work', 'run', plan, '--dry-run']);
    expect(envelope.error).toMatchObject({
      code: 'E_CONFIG',
      details: { reason: 'unsandboxed', setting: 'work.allow_unsandboxed' },
    });
    expect(JSON.stringify(envelope)).toContain('--allow-unsandboxed');
    expect(existsSync(join(bench.gate, 'outside'))).toBe(false);
  });

  it.runIf(isRoot)('a run with consent names its isolation in preview, progress, result and receipt', () => {
    const bench = open(UNABLE);
    const plan = bench.plan([item('p', 'echo x > made.txt')]);
    const argv = ['work', 'run', plan, '--allow-unsandboxed'];
    const { preview, confirm_token: token } = bench.deed([...argv, '--dry-run']).envelope.data;
    expect(preview.changes[0].after).toMatchObject({
      isolation: 'landlock',
      network: true,
      test_command: null,
      approval: false,
      isolation_limits: expect.arrayContaining([expect.stringContaining('Landlock does not prevent')]),
    });
    const run = bench.deed([...argv, '--confirm', token as string]);
    expect(run.stderr).toContain('landlock, copy, network on');
    const [result] = run.envelope.data.results;
    expect(result).toMatchObject({ status: 'success', isolation: 'landlock' });
    const receipt = JSON.parse(readFileSync(result.receipt_path as string, 'utf8'));
    expect(receipt.workspace).toMatchObject({ isolation: 'landlock', mode: 'copy' });
    expect(bench.read('made.txt')).toBe('x\n');
  });

  // work-own-program.test.ts uses the setting too.
  it.runIf(isRoot && LONG)('the setting is a consent too', () => {
    const bench = open({ ...UNABLE, 'work.allow_unsandboxed': true });
    expect(bench.work([item('p', 'echo x > made.txt')]).envelope.ok).toBe(true);
  });
});

describe('a run', () => {
  it.runIf(LONG)('is a conflict if an ignored output file was edited meanwhile', async () => {
    const bench = open();
    bench.write('.gitignore', 'dist/\n');
    bench.write('dist/out', 'before\n');
    const gate = (name: string): string => join(bench.gate, name);
    const wait = `touch ${gate('waits')}; while [ ! -e ${gate('go')} ]; do sleep 0.05; done`;
    const running = bench.workAsync([
      item('p', `echo built > dist/out; ${wait}`, { output_files: ['dist/out'] }),
    ]);
    while (!existsSync(gate('waits'))) await sleep(20);
    bench.write('dist/out', 'edited\n');
    writeFileSync(gate('go'), '');
    const { envelope } = await running;
    expect(envelope.error?.code).toBe('E_CONFLICT');
    expect(bench.read('dist/out')).toBe('edited\n');
  });

  it.runIf(LONG)(
    'that renames a tracked folder with git works for root and on a copy; in the overlay of another account the error says how to fix it',
    () => {
      const bench = open();
      bench.write('d/f.txt', 'x\n');
      bench.git('add', '-A');
      bench.git('commit', '-qm', 'folder');
      const rename = bench.work(item('rename', 'git mv d e'));
      const [result] = resultsOf(rename);
      if (process.getuid?.() === 0) expect(result.status).toBe('success');
      if (result.status !== 'success') expect(result.error).toContain('use mv instead of git mv or rename');
      bench.confirmed('config', 'set', 'work.workspace', 'copy');
      if (result.status !== 'success')
        expect(bench.work(item('again', 'git mv d e')).envelope.error).toBeUndefined();
      expect(bench.read('e/f.txt')).toBe('x\n');
      expect(existsSync(join(bench.tree, 'd'))).toBe(false);
    },
  );

  // src/work/workspace/git-paths.test.ts tests such names in every kind of workspace.
  it.runIf(LONG)('that writes a name that a file system takes for .git is denied, with the path', () => {
    const bench = open();
    const { envelope } = bench.work(item('hook', 'mkdir -p .GIT/hooks; echo x > .GIT/hooks/pre-commit'));
    expect(envelope.error).toMatchObject({ code: 'E_DENIED', details: { status: 'denied' } });
    expect(envelope.error?.message).toContain('".GIT/hooks/pre-commit"');
    expect(existsSync(join(bench.tree, '.GIT'))).toBe(false);
  });

  it('whose tests hang ends with a timeout', () => {
    const bench = open();
    const slow = item('p', 'echo x > made.txt', {
      test_command: 'sleep 60',
      constraints: { timeout_ms: 1500 },
    });
    const { envelope } = bench.work([slow]);
    expect(envelope.error).toMatchObject({ code: 'E_TIMEOUT', details: { status: 'timeout' } });
    expect(existsSync(join(bench.tree, 'made.txt'))).toBe(false);
  });
});

describe('a job', () => {
  const plan = [
    item('a-rename', 'echo "value=new" > lib.txt', { test_command: 'grep -q value=new lib.txt' }),
    item('b-use', 'echo "uses value=old" > app.txt', { test_command: 'test -e app.txt' }),
  ];

  it('does not promote an item that breaks the tests of an earlier one', () => {
    const bench = open();
    const run = bench.work([
      item('a', 'echo one > one.txt', { test_command: 'test ! -e two.txt || grep -q fine two.txt' }),
      item('b', 'echo broken > two.txt', { test_command: 'test -e two.txt' }),
    ]);
    expect(run.envelope.error?.code).toBe('E_TESTS_FAILED');
    expect(bench.read('one.txt')).toBe('one\n');
    expect(existsSync(join(bench.tree, 'two.txt'))).toBe(false);
  });

  it('is rolled back as one, or not at all', () => {
    const bench = open();
    const job = bench.work(plan).envelope.data.job_id as string;
    const rollback = ['work', 'rollback', '--job', job];
    writeFileSync(join(bench.tree, 'lib.txt'), 'edited\n');
    expect(bench.confirmed(...rollback).envelope.error?.code).toBe('E_CONFLICT');
    expect(bench.read('app.txt')).toBe('uses value=old\n');
    writeFileSync(join(bench.tree, 'lib.txt'), 'value=new\n');
    const { data } = bench.confirmed(...rollback).envelope;
    expect(data.runs).toHaveLength(2);
    for (const name of ['lib.txt', 'app.txt']) expect(existsSync(join(bench.tree, name))).toBe(false);
    expect(bench.confirmed(...rollback).envelope.error?.code).toBe('E_CONFLICT');
  });
});
