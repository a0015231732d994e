import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/run-deed.ts';
import { createBench, item, shells, type WorkBench } from '../fixtures/work-bench.ts';

interface Result {
  readonly status: string;
  readonly output_hash: string;
  readonly receipt_path: string;
  readonly proof_script?: string;
  readonly denial_reason?: string;
  readonly error?: string;
  readonly [member: string]: unknown;
}

/** The library as users load it. */
interface Library {
  readonly executeWorkItem: (item: unknown, options: object) => Promise<Result>;
  readonly freeze: (options: object) => Promise<{ id: string; hash: string }>;
  readonly thaw: (id: string, options: object) => Promise<unknown>;
  readonly resolveDependencies: (items: unknown[]) => { agent_id: string }[][];
  readonly checkAdmission: (capsule: unknown, limits: unknown) => { ok: boolean; reason?: string };
}

const library = (await import(join(ROOT, 'dist/lib/work.js'))) as Library;

describe('the AgentRun contract', () => {
  let bench: WorkBench;
  let options: { root: string; home: string; agents: object };
  beforeAll(() => {
    bench = createBench();
    options = { root: bench.tree, home: bench.home, agents: shells() };
  });
  beforeEach(() => bench.reset());
  afterAll(() => bench.dispose());
  const run = (work: Record<string, unknown>): Promise<Result> => library.executeWorkItem(work, options);
  const stateHash = async (): Promise<string> => (await library.freeze({ ...options, contents: false })).hash;

  it('test 1, atomicity on failure: the state is unchanged', async () => {
    const before = await stateHash();
    const seen = bench.readTree();
    const result = await run(item('failing', 'echo half > a.txt; mkdir d; rm b.txt; exit 3'));
    expect(result.status).toBe('failure');
    expect(await stateHash()).toBe(before);
    expect(bench.readTree()).toEqual(seen);
    expect(result.output_hash).toBe(before);
  });

  it('test 2, admission enforcement: denied with the contract’s wording, and the tree is unchanged', async () => {
    const seen = bench.readTree();
    const result = await run(
      item('two', 'echo x > c.txt; echo y > d.txt', { constraints: { max_files: 1 } }),
    );
    expect(result.status).toBe('denied');
    expect(result.denial_reason).toBe('Exceeded max files: 2 > 1');
    expect(bench.readTree()).toEqual(seen);
  });

  it('test 3, replay determinism: the script gives the same hash', async () => {
    const result = await run(
      item('write', 'date > when.txt; echo new >> a.txt; echo $SOURCE_DATE_EPOCH > epoch.txt; rm when.txt'),
    );
    expect(result).toMatchObject({ status: 'success' });
    const output = execFileSync(result.proof_script ?? '', {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: bench.home },
    });
    expect(output).toBe('✅ Replay successful: hash verified\n');
    expect(await stateHash()).toBe(result.output_hash);
  });

  it('the result has every field, with absolute paths in the user’s tree', async () => {
    const result = await run(
      item('all', 'echo new > made.txt; echo more >> a.txt; rm b.txt; echo "# pass 2\n# fail 0" > counts', {
        test_command: 'cat counts',
        output_files: ['/made.txt'],
      }),
    );
    const { metrics, ...rest } = result;
    expect(rest).toEqual({
      status: 'success',
      receipt_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/u),
      receipt_path: expect.stringMatching(/RECEIPT\.json$/u),
      modified_files: [join(bench.tree, 'a.txt')],
      created_files: [join(bench.tree, 'counts'), join(bench.tree, 'made.txt')],
      deleted_files: [join(bench.tree, 'b.txt')],
      output_hash: await stateHash(),
      isolation: expect.stringMatching(/^(?:bubblewrap|namespace|landlock)$/u),
      artifact_hashes: Object.fromEntries(
        ['a.txt', 'counts', 'made.txt'].map((name) => [
          join(bench.tree, name),
          expect.stringMatching(/^[0-9a-f]{64}$/u),
        ]),
      ),
      test_output: '# pass 2\n# fail 0\n',
      proof_script: expect.stringMatching(/replay\.sh$/u),
    });
    expect(metrics).toEqual({
      execution_time_ms: expect.any(Number),
      tool_ops_count: 1,
      delta_size: 4,
      files_touched: 4,
      tests_passed: 2,
      tests_failed: 0,
    });
    expect(JSON.parse(readFileSync(result.receipt_path, 'utf8'))).toMatchObject({
      status: 'success',
      agent_id: 'agent-1',
      phase: 'tranche',
    });
  });

  it('a failing test rolls back with the contract’s wording, and its output is stored', async () => {
    const seen = bench.readTree();
    const result = await run(
      item('tested', 'echo x > c.txt', { test_command: 'echo broken; test ! -e c.txt' }),
    );
    expect(result).toMatchObject({ status: 'failure', error: 'Tests failed', test_output: 'broken\n' });
    expect(bench.readTree()).toEqual(seen);
  });

  it('tests cannot change what is promoted', async () => {
    await run(
      item('tested', 'echo x > c.txt', {
        test_command: 'echo changed > c.txt; echo extra > d.txt; rm a.txt',
      }),
    );
    expect([bench.read('c.txt'), existsSync(join(bench.tree, 'd.txt')), bench.read('a.txt')]).toEqual([
      'x\n',
      false,
      'one\n',
    ]);
  });

  it('a timeout terminates the run with all its processes, and rolls back', async () => {
    const seen = bench.readTree();
    const script = 'echo x > c.txt; trap "" TERM; setsid sh -c "trap \'\' TERM; sleep 600" & sleep 600';
    const result = await run(item('slow', script, { constraints: { timeout_ms: 700 } }));
    expect(result).toMatchObject({ status: 'timeout', error: 'Timed out after 700 ms' });
    expect(bench.readTree()).toEqual(seen);
  });

  it('tool operations beyond the limit stop the run immediately', async () => {
    const script =
      'for n in 1 2 3 4 5; do echo "{\\"name\\":\\"edit\\"}" >> "$DEED_EVENTS"; done; sleep 600; echo late > late.txt';
    const result = await run(item('busy', script, { constraints: { max_tool_ops: 3 } }));
    expect(result).toMatchObject({
      status: 'denied',
      denial_reason: 'Exceeded max tool ops: 4 > 3',
      metrics: { tool_ops_count: 4 },
    });
  });

  it('a delta beyond the limit is denied', async () => {
    const result = await run(
      item('large', 'for n in 1 2 3; do echo $n > f$n; done', { constraints: { max_delta_size: 2 } }),
    );
    expect(result.denial_reason).toBe('Exceeded max delta size: 3 > 2');
  });

  it('missing input files fail before the agent starts, missing output files afterwards', async () => {
    const before = await run(item('in', 'echo x > c.txt', { input_files: ['/nope.txt'] }));
    const after = await run(item('out', 'echo x > c.txt', { output_files: ['docs/x.md'] }));
    expect([before.error, after.error]).toEqual([
      'Input files are missing: nope.txt',
      'Output files are missing: docs/x.md',
    ]);
    expect(before.metrics).toMatchObject({ tool_ops_count: 0 });
  });

  it('the same item on the state that it left does not run again', async () => {
    const work = item('once', 'echo x >> c.txt');
    const first = await run(work);
    expect(await run(work)).toEqual(first);
    expect(bench.read('c.txt')).toBe('x\n');
  });

  it('an item whose changes were reverted runs again', async () => {
    const work = item('once', 'echo x >> c.txt');
    await run(work);
    execFileSync('rm', [join(bench.tree, 'c.txt')]);
    await run(work);
    expect(bench.read('c.txt')).toBe('x\n');
  });

  it('freeze and thaw restore a tree with files, modes and links', async () => {
    execFileSync('sh', ['-c', 'ln -s a.txt link; chmod 700 b.txt; mkdir -p deep/er; echo x > deep/er/f'], {
      cwd: bench.tree,
    });
    const seen = bench.readTree();
    const { id } = await library.freeze(options);
    execFileSync(
      'sh',
      ['-c', 'rm -rf deep link; echo y > a.txt; chmod 644 b.txt; mkdir link; echo z > deep; echo n > new'],
      { cwd: bench.tree },
    );
    await library.thaw(id, options);
    expect(bench.readTree()).toEqual(seen);
  });

  it('a single call with dependencies is rejected, because it cannot run them', async () => {
    await expect(run(item('late', 'true', { dependencies: ['first'] }))).rejects.toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'dependencies', dependencies: ['first'] },
    });
  });

  it('dependencies are resolved into the levels of the contract', () => {
    const work = (id: string, agent_id: string, dependencies: string[] = []) => ({
      id,
      agent_id,
      dependencies,
    });
    const levels = library.resolveDependencies([
      work('a', 'agent-1'),
      work('b', 'agent-2'),
      work('c', 'agent-3'),
      work('d', 'agent-4', ['a']),
      work('e', 'agent-5', ['b', 'c']),
      work('f', 'agent-0'),
    ]);
    expect(levels.map((level) => level.map(({ agent_id }) => agent_id))).toEqual([
      ['agent-1', 'agent-2', 'agent-3'],
      ['agent-4', 'agent-5'],
      ['agent-0'],
    ]);
  });

  it('every process of a run has its id in the environment', async () => {
    const result = await run(
      item('marked', 'sh -c "printenv DEED_RUN_ID > id.txt"', {
        test_command: 'test "$DEED_RUN_ID" = "$(cat id.txt)"',
      }),
    );
    expect(result.status).toBe('success');
    expect(result.receipt_path).toContain(bench.read('id.txt').trim());
  });
});
