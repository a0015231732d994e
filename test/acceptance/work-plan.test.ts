import { createHash } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDeed, waitFor, type Run } from '../fixtures/run-deed.ts';
import { firstLine, killNow, LONG, startScript } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const KILL_TIMEOUT_MS = LONG ? 1_200_000 : 120_000;
/** Reading it takes ten seconds or more; it needs no space on the disk. */
const LARGE_BYTES = 2 ** 30;
/** Much less than that, also on a busy machine. */
const INTERRUPT_MS = 5000;

interface ItemResult {
  readonly item_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly receipt_path: string;
  readonly denial_reason?: string;
}

describe('a plan', () => {
  let bench: WorkBench;
  beforeAll(() => {
    bench = createBench();
  });
  beforeEach(() => bench.reset());
  afterAll(() => bench.dispose());
  /** The details of a failed call. */
  // eslint-disable-next-line typescript/no-explicit-any -- details of any shape
  const detailsOf = (run: Run): any => run.envelope.error?.details ?? {};
  const results = (run: Run): ItemResult[] => (run.envelope.data ?? detailsOf(run)).results as ItemResult[];
  const statuses = (run: Run): string[] => results(run).map(({ item_id, status }) => `${item_id} ${status}`);
  /** Shell commands that signal the test and wait for it; cheaper than polling deed. */
  const wait = (name = 'go'): string =>
    `touch ${join(bench.gate, name)}-waits; while [ ! -e ${join(bench.gate, name)} ]; do sleep 0.05; done`;
  const waits = (name = 'go'): Promise<void> => until(() => existsSync(join(bench.gate, `${name}-waits`)));
  const go = (name = 'go'): void => writeFileSync(join(bench.gate, name), '');
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await sleep(20);
  };
  /** Waits until a child has written a text to standard error. */
  const seen = (child: ChildProcess, text: string): Promise<void> =>
    new Promise((resolve) => {
      let written = '';
      child.stderr?.on('data', (part: string) => {
        written += part;
        if (written.includes(text)) resolve();
      });
    });
  /** Waits for the end of a detached job by its file, which is cheaper than polling deed. */
  it('runs level by level from one state per level, and promotes in the order of ids', () => {
    const run = bench.work(
      [
        item('next', 'cat x.list > next.txt', { dependencies: ['x'] }),
        item('x', 'ls > x.list'),
        item('y', 'ls > y.list'),
        item('z', 'ls > z.list'),
      ],
      '--jobs',
      '3',
    );
    expect(statuses(run)).toEqual(['next success', 'x success', 'y success', 'z success']);
    expect(['x', 'y', 'z'].map((name) => bench.read(`${name}.list`))).toEqual(
      ['x', 'y', 'z'].map((name) => `a.txt\nb.txt\n${name}.list\n`),
    );
    expect(bench.read('next.txt')).toBe(bench.read('x.list'));
    const chain = readFileSync(join(bench.home, 'runs/chain.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { run_id: string });
    const [next, ...level] = results(run).map(({ run_id }) => run_id);
    expect(chain.slice(0, 4).map(({ run_id }) => run_id)).toEqual([...level, next]);
  });

  it.runIf(LONG)('has items and files that are named like members of every object', () => {
    bench.write('toString', 'x');
    const named = 'constructor __proto__ hasOwnProperty';
    const run = bench.work([
      item('constructor', `for f in ${named}; do echo new > $f; done; rm toString`),
      item('toString', 'cat constructor > copy.txt', { dependencies: ['constructor'] }),
      item('valueOf', 'echo z > z.txt', { dependencies: ['toString', 'constructor'] }),
    ]);
    expect(statuses(run)).toEqual(['constructor success', 'toString success', 'valueOf success']);
    expect(bench.read('copy.txt')).toBe('new\n');
    const receipt = JSON.parse(readFileSync(results(run)[0]?.receipt_path ?? '', 'utf8')) as {
      artifacts: { path: string; action: string; sha256?: unknown }[];
    };
    const sha256 = createHash('sha256').update('new\n').digest('hex');
    expect(receipt.artifacts.map(({ path, sha256: found }) => [path, found])).toEqual([
      ['__proto__', sha256],
      ['constructor', sha256],
      ['hasOwnProperty', sha256],
      ['toString', undefined],
    ]);
  });

  it('runs an item again, once, when another item of its level changed the same file', () => {
    const run = bench.work([item('x', 'echo x >> a.txt'), item('y', 'echo y >> a.txt')], '--jobs', '2');
    expect(statuses(run)).toEqual(['x success', 'y success']);
    expect(bench.read('a.txt')).toBe('one\nx\ny\n');
    const receipt = JSON.parse(readFileSync(results(run)[1]?.receipt_path ?? '', 'utf8')) as {
      workspace: { reruns: number };
    };
    expect(receipt.workspace.reruns).toBe(1);
    const all = bench.deed(['work', 'list', '--fields', 'items.item_id,items.status']).envelope.data
      .items as object[];
    expect(all).toEqual([
      { item_id: 'reconcile', status: 'success' },
      { item_id: 'y', status: 'success' },
      { item_id: 'y', status: 'denied' },
      { item_id: 'x', status: 'success' },
    ]);
    const { receipt_path } = run.envelope.data.reconciliation as ItemResult;
    expect(JSON.parse(readFileSync(receipt_path, 'utf8'))).toMatchObject({
      commutativity_verified: false,
      tranches_merged: 2,
    });
  });

  it('ends with the reconciler, which tests the merged tree and signs one receipt for all', () => {
    const run = bench.work([
      item('x', 'echo 1 > x', { test_command: 'echo "# pass 1"; echo "# fail 0"; test -e x' }),
      item('y', 'echo 2 > y', {
        agent_id: 'agent-2',
        test_command: 'echo "# pass 2"; echo "# fail 0"; test -e y',
      }),
      { id: 'end', agent_id: 'agent-0', description: 'merge', test_command: 'test -e x && test -e y' },
    ]);
    expect(run.envelope.error).toBeUndefined();
    const { reconciliation } = run.envelope.data as { reconciliation: ItemResult & { metrics: object } };
    expect(reconciliation).toMatchObject({
      item_id: 'end',
      status: 'success',
      metrics: { tests_passed: 3, tests_failed: 0 },
    });
    expect(JSON.parse(readFileSync(reconciliation.receipt_path, 'utf8'))).toMatchObject({
      phase: 'reconcile',
      agent_id: 'agent-0',
      tranches_merged: 2,
      commutativity_verified: true,
      tranche_receipts: [
        { item_id: 'x', status: 'success' },
        { item_id: 'y', status: 'success' },
      ],
    });
  });

  it('whose items pass separately but fail together is reported', () => {
    const alone = 'test ! -e x || test ! -e y';
    const run = bench.work([
      item('x', 'echo > x'),
      item('y', 'echo > y', { agent_id: 'agent-2' }),
      { id: 'end', agent_id: 'agent-0', description: 'm', test_command: alone },
    ]);
    expect(run.envelope.error).toMatchObject({
      code: 'E_TESTS_FAILED',
      message: 'The merged tree failed: Tests failed',
    });
  });

  it.runIf(LONG)(
    'that is killed with -9 can be resumed, and nothing runs twice',
    async () => {
      for (let round = 0; round < (LONG ? 10 : 1); round += 1) {
        const gate = `go-${round}`;
        const count = (name: string): string => `echo ${round} >> ${name}.txt`;
        const plan = bench.plan([
          item('a', count('first')),
          item('b', `${count('second')}; ${wait(gate)}`, { dependencies: ['a'] }),
          item('c', count('third'), { dependencies: ['b'] }),
        ]);
        const preview = bench.deed(['work', 'run', plan, '--dry-run']);
        const child = startDeed(
          ['work', 'run', plan, '--confirm', preview.envelope.data.confirm_token as string],
          { home: bench.home, cwd: bench.tree },
        );
        await waits(gate);
        const running = bench.deed(['work', 'list', '--status', 'running']).envelope.data;
        const [{ job_id, item_id }] = running.items as [{ job_id: string; item_id: string }];
        expect(item_id).toBe('b');
        child.kill('SIGKILL');
        await waitFor(child);
        expect(bench.deed(['work', 'status', job_id]).envelope.data).toMatchObject({
          status: 'failed',
          lost: true,
        });
        go(gate);
        const resumed = bench.confirmed('work', 'run', '--resume', job_id);
        expect(resumed.envelope.error).toBeUndefined();
        expect(statuses(resumed)).toEqual(['a success', 'b success', 'c success']);
        const expected = Array.from({ length: round + 1 }, (_, index) => `${index}\n`).join('');
        expect(['first', 'second', 'third'].map((name) => bench.read(`${name}.txt`))).toEqual([
          expected,
          expected,
          expected,
        ]);
      }
      expect(bench.deed(['receipt', 'verify']).code).toBe(0);
      expect(
        readdirSync(join(bench.home, 'runs')).some((name) =>
          existsSync(join(bench.home, 'runs', name, 'state.json')),
        ),
      ).toBe(false);
    },
    KILL_TIMEOUT_MS,
  );

  it('that is interrupted leaves the tree unchanged, and can be resumed', async () => {
    const before = bench.readTree();
    const plan = bench.plan([item('slow', `echo x > c.txt; ${wait()}`)]);
    const preview = bench.deed(['work', 'run', plan, '--dry-run']);
    const child = startDeed(
      ['work', 'run', plan, '--confirm', preview.envelope.data.confirm_token as string],
      { home: bench.home, cwd: bench.tree },
    );
    const ended = waitFor(child);
    await waits();
    expect(bench.deed(['work', 'list', '--status', 'running']).envelope.data.count).toBe(1);
    child.kill('SIGINT');
    const run = await ended;
    expect([run.code, run.envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
    expect(bench.readTree()).toEqual(before);
    const { job_id, resume } = detailsOf(run) as { job_id: string; resume: string };
    expect(resume).toContain(`deed work run --resume ${job_id} --jobs 2 --confirm ct_`);
    expect(bench.deed(['work', 'status', job_id]).envelope.data.status).toBe('cancelled');
    go();
    expect(bench.confirmed('work', 'run', '--resume', job_id).envelope.error).toBeUndefined();
    expect(bench.read('c.txt')).toBe('x\n');
  });

  it('that is interrupted while a large tree is read stops before any item starts, and can be resumed', async () => {
    const large = join(bench.tree, 'large.bin');
    writeFileSync(large, '');
    truncateSync(large, LARGE_BYTES);
    const plan = bench.plan([item('one', 'echo x > c.txt')]);
    const preview = bench.deed(['work', 'run', plan, '--dry-run']);
    const child = startDeed(
      ['work', 'run', plan, '--confirm', preview.envelope.data.confirm_token as string],
      { home: bench.home, cwd: bench.tree },
    );
    const ended = waitFor(child);
    await seen(child, LONG ? 'tree.read' : 'level.started');
    child.kill('SIGINT');
    const interruptedAt = performance.now();
    const run = await ended;
    expect(performance.now() - interruptedAt).toBeLessThan(INTERRUPT_MS);
    expect([run.code, run.envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
    expect(run.stderr).not.toContain('run.started');
    const { job_id } = detailsOf(run) as { job_id: string };
    truncateSync(large, 0);
    expect(bench.confirmed('work', 'run', '--resume', job_id).envelope.error).toBeUndefined();
    expect(bench.read('c.txt')).toBe('x\n');
  });

  it('denies dependents of a failed item, runs the rest, and can be resumed without running them again', () => {
    const ready = join(bench.gate, 'ready');
    const run = bench.work([
      item('good', 'echo x >> good.txt'),
      item('bad', `test -e ${ready} && echo x >> bad.txt`),
      item('after', 'cat bad.txt > after.txt', { dependencies: ['bad'] }),
    ]);
    expect([run.code, run.envelope.error?.code]).toEqual([1, 'E_AGENT_FAILED']);
    expect(statuses(run)).toEqual(['good success', 'bad failure', 'after denied']);
    expect(results(run)[2]?.denial_reason).toBe('Dependency failed: bad');
    expect([existsSync(join(bench.tree, 'after.txt')), existsSync(join(bench.tree, 'good.txt'))]).toEqual([
      false,
      true,
    ]);
    for (const { receipt_path } of results(run)) expect(existsSync(receipt_path)).toBe(true);
    expect(bench.deed(['receipt', 'verify']).envelope.data).toEqual({ checked: 4, valid: true });
    writeFileSync(ready, '');
    const resumed = bench.confirmed('work', 'run', '--resume', detailsOf(run).job_id);
    expect(statuses(resumed)).toEqual(['good success', 'bad success', 'after success']);
    expect(['good', 'bad', 'after'].map((name) => bench.read(`${name}.txt`))).toEqual(['x\n', 'x\n', 'x\n']);
    expect(resumed.envelope.data.reconciliation.status).toBe('success');
  });

  it('that another process runs is not resumed, and the same request can be repeated later', async () => {
    const ready = join(bench.gate, 'ready');
    const { job_id } = detailsOf(bench.work([item('bad', `test -e ${ready} && echo x > bad.txt`)]));
    writeFileSync(ready, '');
    const resume = (): Run => bench.confirmed('work', 'run', '--resume', job_id, '--request-id', 'again');
    const holder = startScript('hold-lock', [join(bench.home, 'jobs', `${job_id}.lock`)]);
    expect(await firstLine(holder)).toBe('held');
    const rejected = resume();
    await killNow(holder);
    expect([rejected.envelope.error?.code, existsSync(join(bench.tree, 'bad.txt'))]).toEqual([
      'E_TIMEOUT',
      false,
    ]);
    expect(resume().envelope.error).toBeUndefined();
    expect(bench.read('bad.txt')).toBe('x\n');
  });

  it('that needs approval stops before the promotion, and resumes after a person approved it', () => {
    const before = bench.readTree();
    const run = bench.work([
      item('ask', 'echo x > c.txt', { approval: true }),
      item('next', 'cat c.txt > d.txt', { dependencies: ['ask'] }),
    ]);
    expect([run.code, run.envelope.error?.code]).toEqual([9, 'E_HUMAN_REQUIRED']);
    const { run_id, job_id, action, resume } = detailsOf(run);
    expect([action, resume]).toEqual(['approve_run', `deed work run --resume ${job_id}`]);
    expect(detailsOf(run).hint).toContain(`Its changes: deed work diff ${run_id}.`);
    expect(bench.readTree()).toEqual(before);
    const asAgent = bench.deed(['work', 'approve', run_id ?? '', '--dry-run'], {
      env: { DEED_AGENT: 'eager' },
    });
    expect([asAgent.code, asAgent.envelope.error?.code]).toEqual([9, 'E_HUMAN_REQUIRED']);
    expect(detailsOf(asAgent)).toMatchObject({ action: 'approve_run', resume: `deed work show ${run_id}` });
    const approved = bench.confirmedAtTerminal('work', 'approve', run_id ?? '', '--note', 'looks right');
    expect(approved.envelope.data).toMatchObject({ status: 'success', run_id, resume });
    const receipt = bench.deed(['receipt', 'show', run_id ?? '']).envelope.data.receipt as {
      approval: Record<string, string>;
    };
    expect(receipt.approval).toMatchObject({
      decision: 'approved',
      by: expect.stringMatching(/^user:/u),
      note: 'looks right',
    });
    expect(bench.confirmed('work', 'run', '--resume', job_id ?? '').envelope.error).toBeUndefined();
    expect(bench.read('d.txt')).toBe('x\n');
    expect(bench.confirmedAtTerminal('work', 'approve', run_id ?? '').envelope.error?.code).toBe(
      'E_CONFLICT',
    );
  });

  it('that is resumed after a failure runs no item before the approval of those it depends on', () => {
    const ready = join(bench.gate, 'asked');
    const run = bench.work([
      item('ask', `test -e ${ready} && echo x > c.txt`, { approval: true }),
      item('next', 'echo y > early.txt', { dependencies: ['ask'] }),
    ]);
    expect(run.envelope.error?.code).toBe('E_AGENT_FAILED');
    writeFileSync(ready, '');
    const resumed = bench.confirmed('work', 'run', '--resume', detailsOf(run).job_id ?? '');
    expect(resumed.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    expect(Object.keys(bench.readTree())).not.toContain('early.txt');
    const { run_id, job_id } = detailsOf(resumed);
    expect(bench.confirmedAtTerminal('work', 'approve', run_id ?? '').code).toBe(0);
    expect(bench.confirmed('work', 'run', '--resume', job_id ?? '').envelope.error).toBeUndefined();
    expect(bench.read('early.txt')).toBe('y\n');
  });

  it('that is approved after other changes broke its tests can be run again with the command of the hint', () => {
    const more = { approval: true, test_command: 'test ! -e moved.txt' };
    const { run_id = '' } = detailsOf(bench.work(item('ask', 'echo x > c.txt', more)));
    bench.write('moved.txt', 'by a person\n');
    const { error } = bench.confirmedAtTerminal('work', 'approve', run_id).envelope;
    expect(error?.code).toBe('E_TESTS_FAILED');
    expect(error?.details.hint).toContain(`deed work revise ${run_id} --comment`);
    const again = bench.deed(['work', 'revise', run_id, '--comment', 'again', '--dry-run']);
    expect(again.envelope.error).toBeUndefined();
  });

  it('that waits cannot be decided while its tree is somewhere else; the dry run reports that', () => {
    const { run_id = '' } = detailsOf(bench.work(item('ask', 'echo x > c.txt', { approval: true })));
    bench.confirmed('config', 'set', 'work.allow_program_approval', 'true');
    renameSync(bench.tree, `${bench.tree}-moved`);
    try {
      const argv = ['work', 'approve', run_id, '--dry-run'];
      const { error } = bench.deed(argv, { cwd: bench.home }).envelope;
      expect([error?.code, error?.details.path]).toEqual(['E_NOT_FOUND', bench.tree]);
      expect(error?.details.hint).toContain('move it back');
    } finally {
      renameSync(`${bench.tree}-moved`, bench.tree);
    }
  });

  it('that a person rejects leaves the tree unchanged', () => {
    const before = bench.readTree();
    const { run_id } = detailsOf(bench.work(item('ask', 'echo x > c.txt', { approval: true })));
    const rejected = bench.confirmedAtTerminal('work', 'reject', '--id', run_id ?? '', '--note', 'no');
    expect(rejected.envelope.data).toMatchObject({
      status: 'denied',
      denial_reason: expect.stringMatching(/^Rejected by user:.*: no$/u),
    });
    expect(bench.readTree()).toEqual(before);
    const resumed = bench.confirmed(
      'work',
      'run',
      '--resume',
      rejected.envelope.data.resume.split(' ').at(-1) as string,
    );
    expect(resumed.envelope.error).toMatchObject({ code: 'E_DENIED', details: { run_id } });
    expect(
      bench.deedAtTerminal(['work', 'reject', '--id', run_id ?? '', '--dry-run']).envelope.error?.code,
    ).toBe('E_CONFLICT');
  });

  it('that a program without a terminal approves needs consent, and its receipt names the program', () => {
    const { run_id } = detailsOf(bench.work(item('ask', 'echo x > c.txt', { approval: true })));
    const refused = bench.confirmed('work', 'approve', run_id ?? '');
    expect([refused.code, refused.envelope.error]).toMatchObject([
      9,
      {
        code: 'E_HUMAN_REQUIRED',
        details: {
          action: 'approve_run',
          hint: expect.stringContaining('config set work.allow_program_approval true'),
        },
      },
    ]);
    bench.confirmed('config', 'set', 'work.allow_program_approval', 'true');
    expect(bench.confirmed('work', 'approve', run_id ?? '').envelope.data.status).toBe('success');
    const { receipt } = bench.deed(['receipt', 'show', run_id ?? '']).envelope.data;
    expect(receipt.approval.by).toMatch(/^program:/u);
  });

  it.runIf(LONG)(
    'that is approved after the user changed the same file still waits, and is promoted once the file is as before',
    () => {
      const { run_id } = detailsOf(bench.work(item('ask', 'echo x >> a.txt', { approval: true })));
      const before = bench.read('a.txt');
      bench.write('a.txt', 'mine\n');
      const run = bench.confirmedAtTerminal('work', 'approve', run_id ?? '');
      expect([run.code, run.envelope.error?.code]).toEqual([6, 'E_CONFLICT']);
      expect(run.envelope.error?.message).toContain('a.txt. Nothing was written, and the run still waits.');
      expect(bench.read('a.txt')).toBe('mine\n');
      bench.write('a.txt', before);
      expect(bench.confirmedAtTerminal('work', 'approve', run_id ?? '').code).toBe(0);
      expect(bench.read('a.txt')).toBe(`${before}x\n`);
    },
  );

  it('runs detached: returns a job immediately, a status while it runs, and a result', async () => {
    const run = bench.work([item('x', `${wait()}; echo x > c.txt`)], '--detach');
    const { job_id, status, poll, result } = run.envelope.data as Record<string, string>;
    expect([status, poll, result]).toEqual([
      'pending',
      `deed work status --id ${job_id}`,
      `deed work result --id ${job_id}`,
    ]);
    const state = (): { status: string; progress: number } =>
      bench.deed(['work', 'status', '--id', job_id ?? '']).envelope.data as never;
    await waits();
    expect(state().status).toBe('running');
    expect(bench.deed(['work', 'result', job_id ?? '']).envelope.error?.code).toBe('E_CONFLICT');
    go();
    await bench.ended(job_id ?? '');
    expect(state()).toMatchObject({ status: 'succeeded', progress: 1 });
    expect(bench.deed(['work', 'result', '--id', job_id ?? '']).envelope.data).toMatchObject({
      status: 'succeeded',
      results: [{ item_id: 'x', status: 'success' }],
    });
    expect(bench.read('c.txt')).toBe('x\n');
  });

  it('that runs detached can be cancelled and resumed later', async () => {
    const before = bench.readTree();
    const { job_id } = bench.work([item('x', `echo x > c.txt; ${wait()}`)], '--detach').envelope.data as {
      job_id: string;
    };
    const state = (): { status: string; items: { status: string }[] } =>
      bench.deed(['work', 'status', job_id]).envelope.data as never;
    await waits();
    expect(state().items[0]?.status).toBe('running');
    const { data } = bench.confirmed('work', 'cancel', job_id).envelope;
    expect(data).toEqual({ job_id, status: 'cancelled', resume: `deed work run --resume ${job_id}` });
    expect(bench.readTree()).toEqual(before);
    expect(bench.deed(['work', 'cancel', '--id', job_id, '--dry-run']).envelope.error?.code).toBe(
      'E_CONFLICT',
    );
    expect(bench.deed(['work', 'result', job_id]).envelope.error?.code).toBe('E_INTERRUPTED');
    go();
    expect(bench.confirmed('work', 'run', '--resume', job_id).envelope.error).toBeUndefined();
    expect(bench.read('c.txt')).toBe('x\n');
  });

  it.runIf(LONG)('that fails detached returns its error as the result', async () => {
    const { job_id } = bench.work([item('x', 'exit 4')], '--detach').envelope.data as Record<string, string>;
    await bench.ended(job_id ?? '');
    const run = bench.deed(['work', 'result', job_id ?? '']);
    expect([run.code, run.envelope.error?.code, run.envelope.error?.details.status]).toEqual([
      1,
      'E_AGENT_FAILED',
      'failure',
    ]);
  });

  it('streams its events as lines of JSON, and progress on stderr', () => {
    const run = bench.work([item('x', 'echo x > c.txt', { test_command: 'true' })], '--stream');
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
    expect(lines.map(({ data }) => data.type).filter(Boolean)).toEqual([
      'job.started',
      'level.started',
      'run.started',
      'run.isolated',
      'tool.called',
      'run.executed',
      'tests.started',
      'tests.ended',
      'run.ended',
      'job.ended',
    ]);
    expect(lines.at(-2)?.data).toMatchObject({ status: 'succeeded', results: [{ item_id: 'x' }] });
    expect(lines.at(-1)).toMatchObject({ type: 'summary', data: { complete: true } });
    expect(run.stderr).toContain('run.ended x · success');
  });

  it.runIf(LONG)('that fails while streaming ends with the error and its exit code', () => {
    const run = bench.work([item('x', 'exit 2')], '--stream');
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; error?: { code: string } });
    expect([run.code, lines.at(-2)?.error?.code, lines.at(-1)?.type]).toEqual([
      1,
      'E_AGENT_FAILED',
      'summary',
    ]);
  });

  it('in parallel with another one on the same tree loses no write', async () => {
    const runs = await Promise.all(
      ['x', 'y'].map((name) => bench.workAsync([item(name, `echo ${name} >> a.txt; sleep 0.3`)])),
    );
    const succeeded = runs.filter(({ code }) => code === 0).length;
    expect(succeeded).toBeGreaterThan(0);
    expect(bench.read('a.txt').trim().split('\n').length).toBe(1 + succeeded);
    for (const run of runs.filter(({ code }) => code !== 0))
      expect(run.envelope.error?.code).toBe('E_CONFLICT');
    expect(bench.deed(['receipt', 'verify']).code).toBe(0);
  });

  it('detects changes by the user: the same file is a conflict, another one is tested again and recorded', async () => {
    const edit = async (path: string): Promise<Run> => {
      const running = bench.workAsync([
        item(`edit-${path}`, `echo agent >> a.txt; ${wait(path)}`, {
          test_command: 'cat b.txt',
        }),
      ]);
      await waits(path);
      writeFileSync(join(bench.tree, path), 'mine\n');
      go(path);
      return running;
    };
    const same = await edit('a.txt');
    expect([same.code, same.envelope.error?.code]).toEqual([6, 'E_CONFLICT']);
    expect(bench.read('a.txt')).toBe('mine\n');
    const other = await edit('b.txt');
    expect(other.envelope.error).toBeUndefined();
    expect(bench.read('a.txt')).toBe('mine\nagent\n');
    expect(results(other)[0]).toMatchObject({ test_output: 'mine\n' });
    const { run_id } = results(other)[0] as ItemResult;
    expect(bench.deed(['work', 'show', run_id]).envelope.data.workspace.drift).toContain('b.txt');
  });
});
