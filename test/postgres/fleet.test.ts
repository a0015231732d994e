import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerProblems } from '../fixtures/check-envelope.ts';
import {
  createFleetBench,
  eventually,
  type FleetBench,
  type FleetHost,
  type Serving,
} from '../fixtures/fleet-bench.ts';
import { until } from '../fixtures/real-processes.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { LONG } from '../fixtures/start-node.ts';
import { resultsOf, item } from '../fixtures/work-bench.ts';

/** Parameters of every process that serves a queue. */
const CLONE = ['--root', '.', '--allow-unsandboxed'];

describe.skipIf(findPostgres() === undefined)('a fleet', () => {
  let bench: FleetBench;
  let caller: FleetHost;
  let worker: Serving;
  let integrator: Serving;
  let victim: Serving;
  /** The job of a worker that is killed before the others start; its lease expires while the first tests run. */
  let orphaned: string;
  beforeAll(async () => {
    bench = createFleetBench({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    caller = bench.host('caller', { 'work.allow_program_approval': true });
    victim = bench.host('victim').start('worker', 'start', '--queue', 'build', ...CLONE);
    const once = `if mkdir ${bench.gate}/killed 2>/dev/null; then sleep 120; fi; echo k > killed.txt`;
    bench.git('branch', 'side', 'main');
    orphaned = submit(item('killed', once), '--detach', '--branch', 'side').envelope.data.job_id as string;
    await until(() => existsSync(join(bench.gate, 'killed')), 'the agent has started');
    victim.child.kill('SIGKILL');
    worker = bench
      .host('worker')
      .start(
        'worker',
        'start',
        '--queue',
        'build',
        '--jobs',
        '2',
        '--labels',
        'gpu',
        '--max-running',
        '9',
        '--max-cost-usd',
        '5',
        ...CLONE,
      );
    integrator = bench.host('integrator').start('integrator', 'start', '--queue', 'build', ...CLONE);
  });
  afterAll(() => bench.dispose());
  const show = (path: string): string => bench.git('show', `main:${path}`);
  const submit = (plan: unknown, ...flags: string[]) =>
    caller.write('work', 'run', caller.plan(plan), '--on', 'build', ...flags);

  it('runs items on a worker, in the order of their dependencies, and lands them on the branch', () => {
    const before = bench.git('rev-parse', 'main').trim();
    const run = submit([
      item('first', 'echo 1 > a.txt', { test_command: 'grep -q 1 a.txt' }),
      item('second', 'cat a.txt > c.txt', { dependencies: ['first'], requires: ['gpu'] }),
      item('other', 'echo 2 > b.txt'),
    ]);
    expect(run.envelope.ok, `${run.stdout}\n${worker.output()}\n${integrator.output()}`).toBe(true);
    expect([show('a.txt'), show('b.txt'), show('c.txt')]).toEqual(['1\n', '2\n', '1\n']);
    expect(bench.git('rev-list', '--count', `${before}..main`).trim()).toBe('3');
    const results = resultsOf(run);
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      'success',
      'success',
      'success',
    ]);
    expect(results[0].modified_files).toEqual([join(caller.clone, 'a.txt')]);
    expect(results.map(({ commit }: { commit: string }) => commit).sort()).toEqual(
      bench.git('rev-list', `${before}..main`).trim().split('\n').sort(),
    );
    expect(existsSync(results[0].receipt_path)).toBe(true);
    // Anyone with the trusted keys and a clone can verify what landed.
    const ledger = bench.untrusted('auditor').read('receipt', 'verify', '--ledger', '--exclusive').envelope;
    // The item of the killed worker may have landed on its branch meanwhile.
    expect(ledger.data, JSON.stringify(ledger.error)).toMatchObject({
      valid: true,
      ledger: {
        branches: expect.arrayContaining([
          expect.objectContaining({ branch: 'main', promoted: 3, others: 0 }),
        ]) as unknown,
      },
    });
    // The clone of the caller is as it was.
    expect(caller.git('status', '--porcelain')).toBe('');
    const tasks = caller
      .read('task', 'list')
      .envelope.data.items.filter(({ title }: { title: string }) => !title.includes('killed'));
    expect(tasks.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
  });

  it.runIf(LONG)(
    'merges and tests a result whose branch moved, and runs one again that does not fit',
    async () => {
      const before = bench.git('rev-parse', 'main').trim();
      const together = (id: string): string =>
        `touch ${bench.gate}/${id}; until [ -e ${bench.gate}/go ]; do sleep 0.1; done`;
      const plan = [
        item('fits', `${together('fits')}; echo fits > fits.txt`, { test_command: 'test -e fits.txt' }),
        item('again', `${together('again')}; echo again >> a.txt`),
      ];
      const running = caller.writeAsync('work', 'run', caller.plan(plan), '--on', 'build');
      await until(
        () => existsSync(join(bench.gate, 'fits')) && existsSync(join(bench.gate, 'again')),
        'both agents have started',
      );
      // A person pushes meanwhile.
      const person = bench.host('person');
      writeFileSync(join(person.clone, 'a.txt'), 'person\n');
      person.git('commit', '-qam', 'person');
      person.git('push', '-q', 'origin', 'main');
      writeFileSync(join(bench.gate, 'go'), '');
      const run = await running;
      expect(run.envelope.ok, `${run.stdout}\n${worker.output()}\n${integrator.output()}`).toBe(true);
      expect([show('a.txt'), show('fits.txt')]).toEqual(['person\nagain\n', 'fits\n']);
      expect(bench.git('rev-list', '--count', `${before}..main`).trim()).toBe('3');
      expect(bench.git('rev-list', '--count', '--min-parents=2', 'main').trim()).toBe('0');
      // The ref of the item has its history, by attempt.
      const ref = `refs/deed/items/${run.envelope.data.job_id}/again`;
      expect(bench.git('log', '--first-parent', '--reverse', '--format=%s', ref).trim().split('\n')).toEqual([
        'claimed again (attempt 1)',
        'result again (attempt 1)',
        'requeued again (attempt 1)',
        'claimed again (attempt 2)',
        'result again (attempt 2)',
        'promoted again (attempt 2)',
      ]);
    },
  );

  it.runIf(LONG)('ends a failed item and those that depend on it, with receipts', () => {
    const run = submit(
      [item('breaks', 'exit 3'), item('after', 'true', { dependencies: ['breaks'] })],
      '--stream',
    );
    const lines = run.stdout
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { type: string; data?: object; error?: { code: string; details: object } },
      );
    expect(lines.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ type: 'item.ended', item_id: 'after', status: 'denied' }),
    );
    expect(lines.find(({ error }) => error !== undefined)?.error).toMatchObject({
      code: 'E_AGENT_FAILED',
      details: { results: [{ status: 'failure' }, { denial_reason: 'Dependency failed: breaks' }] },
    });
  });

  it.runIf(LONG)('waits for a person, and lands what was approved', async () => {
    const asked = submit(item('ask', 'echo asked > asked.txt', { approval: true }));
    expect(asked.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    const { run_id: runId, job_id: jobId } = (asked.envelope.error as { details: object }).details as {
      run_id: string;
      job_id: string;
    };
    expect(caller.write('work', 'approve', runId).envelope.ok).toBe(true);
    await eventually(
      () => caller.read('work', 'status', jobId).envelope.data.status === 'succeeded',
      'the approved item has landed',
    );
    expect(show('asked.txt')).toBe('asked\n');
    expect(caller.read('work', 'result', jobId).envelope.data.results[0].status).toBe('success');
    const rejected = submit(item('no', 'echo no > no.txt', { approval: true })).envelope.error?.details as {
      run_id: string;
    };
    expect(
      caller.write('work', 'reject', rejected.run_id, '--note', 'not now').envelope.data.denial_reason,
    ).toContain('not now');
    expect(bench.git('ls-tree', '--name-only', 'main')).not.toContain('no.txt');
  });

  it.runIf(LONG)('cancels a job, and can queue it again', async () => {
    const slow = `touch ${bench.gate}/slow; until [ -e ${bench.gate}/done ]; do sleep 0.1; done; echo late > late.txt`;
    const job = submit(item('slow', slow), '--detach').envelope.data;
    expect(job).toMatchObject({ status: 'pending', branch: 'main' });
    await until(() => existsSync(join(bench.gate, 'slow')), 'the agent has started');
    expect(caller.read('work', 'status', job.job_id).envelope.data).toMatchObject({
      status: 'running',
      items: [{ item_id: 'slow', status: 'running' }],
    });
    expect(caller.write('work', 'cancel', job.job_id).envelope.data.status).toBe('cancelled');
    // Its first attempt had no ref; this one refuses what it delivers.
    const ref = `refs/deed/items/${job.job_id}/slow`;
    expect(bench.git('log', '--format=%s', ref).trim()).toBe('cancelled slow (attempt 1)');
    writeFileSync(join(bench.gate, 'done'), '');
    expect(caller.write('work', 'run', '--resume', job.job_id).envelope.ok).toBe(true);
    expect(show('late.txt')).toBe('late\n');
  });

  it('takes over the item of a worker that was killed', async () => {
    const status = () => caller.read('work', 'status', orphaned).envelope.data.status as string;
    await eventually(() => status() === 'succeeded', 'another worker has it');
    expect(bench.git('show', 'side:killed.txt')).toBe('k\n');
    const ref = `refs/deed/items/${orphaned}/killed`;
    // The claim of the first attempt would have come with its result.
    expect(bench.git('log', '--first-parent', '--reverse', '--format=%s', ref).trim().split('\n')).toEqual([
      'claimed killed (attempt 2)',
      'result killed (attempt 2)',
      'promoted killed (attempt 2)',
    ]);
  });

  it('lists its workers, and drains them', async () => {
    const listed = caller.read('worker', 'list').envelope.data as {
      items: { worker_id: string; role: string }[];
    };
    // The one that was killed is listed for a minute.
    const alive = listed.items.filter(({ worker_id: each }) => !victim.output().includes(each));
    expect(alive.map(({ role }) => role).sort()).toEqual(['integrator', 'worker']);
    const id = alive.find(({ role }) => role === 'worker')?.worker_id ?? '';
    const asked = caller.write('worker', 'drain', id).envelope.data as object;
    expect(asked).toMatchObject({ worker_id: id });
    const drained = (await worker.ended).envelope.data as object;
    expect(drained).toMatchObject({ worker_id: id });
    expect(caller.write('worker', 'drain', id).envelope.error?.code).toBe('E_NOT_FOUND');
    const other = listed.items.find(({ role }) => role === 'integrator')?.worker_id ?? '';
    expect(caller.write('worker', 'drain', other).envelope.ok).toBe(true);
    const idle = (await integrator.ended).envelope.data as object;
    const left = caller.read('worker', 'list').envelope.data.items as { worker_id: string }[];
    expect(left.filter(({ worker_id: each }) => !victim.output().includes(each))).toEqual([]);
    const answers = {
      'worker start': drained,
      'worker list': listed,
      'worker drain': asked,
      'integrator start': idle,
    };
    for (const [command, answer] of Object.entries(answers))
      expect(answerProblems(caller.read, command, answer), command).toEqual([]);
  });

  it('needs a store on Postgres, a remote and its branch', () => {
    const file = bench.host('file', { 'store.url': '' });
    expect(file.read('worker', 'list').envelope.error?.code).toBe('E_CONFIG');
    expect(file.read('worker', 'start').envelope.error?.code).toBe('E_CONFIG');
    expect(file.read('integrator', 'start', '--keys', '.').envelope.error?.code).toBe('E_CONFIG');
    const empty = caller.read('integrator', 'start', '--keys', bench.gate).envelope.error;
    expect(empty).toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('No worker is trusted') as string,
    });
    expect(submit(item('x', 'true'), '--branch', 'missing').envelope.error?.code).toBe('E_NOT_FOUND');
    expect(submit(item('x', 'true'), '--pull-request').envelope.error?.code).toBe('E_VALIDATION');
    caller.git('remote', 'remove', 'origin');
    expect(submit(item('x', 'true')).envelope.error?.code).toBe('E_CONFIG');
  });
});
