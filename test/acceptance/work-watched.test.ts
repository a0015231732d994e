import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeStored } from '../../src/system/stored-document.ts';
import { startDeed, waitFor, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, shells, type WorkBench } from '../fixtures/work-bench.ts';
import { processSpace } from '../../src/system/process-identity.ts';

const ITEMS = LONG ? 50 : 5;

let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.dispose());

const linesOf = ({ stdout }: Run): { type?: string; item_id?: string; stream?: string; text?: string }[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => {
      const { data, ...rest } = JSON.parse(line);
      return { ...rest, ...data };
    });
const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; !condition() && tries < 600; tries += 1) await sleep(50);
  expect(condition()).toBe(true);
};

describe('a plan', () => {
  it(`of ${ITEMS} items is watched from another process while it runs`, async () => {
    const plan = Array.from({ length: ITEMS }, (_, index) =>
      item(
        `i${index}`,
        `echo begins ${index}; until test -e ${bench.gate}/go; do sleep 0.05; done; echo ends ${index}; echo > out${index}`,
      ),
    );
    const { job_id } = bench.work(plan, '--detach', '--jobs', '4').envelope.data;
    const watched = bench.deedAsync(['work', 'log', job_id, '--follow']);
    const status = () => bench.deed(['work', 'status', job_id]).envelope.data;
    await until(
      () => status().items.filter((row: { status: string }) => row.status === 'running').length > 0,
    );
    const running = status().items.find((row: { status: string }) => row.status === 'running');
    // Live: the agent has not finished.
    await until(() => bench.deed(['work', 'log', running.run_id]).stdout.includes('begins'));
    expect(bench.deed(['work', 'log', running.run_id]).stdout).not.toContain('ends');
    expect(bench.deed(['work', 'diff', running.run_id]).envelope.error?.code).toBe('E_CONFLICT');
    bench.deed(['work', 'log', running.run_id, '--tail', '1']);
    writeFileSync(join(bench.gate, 'go'), '');
    const lines = linesOf(await watched);
    expect(status()).toMatchObject({ status: 'succeeded', progress: 1 });
    const printed = lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text ?? '');
    const expected = Array.from({ length: ITEMS }, (_, index) => [`begins ${index}`, `ends ${index}`]).flat();
    expect(printed.toSorted()).toEqual(expected.toSorted());
    // Afterwards it is the same.
    const after = linesOf(bench.deed(['work', 'log', job_id])).filter(({ stream }) => stream === 'stdout');
    expect(after.map(({ text }) => String(text)).toSorted()).toEqual(expected.toSorted());
  });

  it('that fails has the last lines of its agent in the error, and secrets are masked in log and diff', () => {
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const run = bench.work(
      item('x', `echo before; echo TOKEN=${token} | tee leak.txt; echo last words >&2; exit 3`),
    );
    expect(run.envelope.error?.details.agent_output).toMatch(
      /before\nTOKEN=\[REDACTED\]\nlast words|last words/u,
    );
    expect(run.stderr).toContain('x: last words');
    const id = run.envelope.error?.details.run_id as string;
    const log = bench.deed(['work', 'log', id, '--format', 'text']).stdout;
    expect(log).toContain('[x] TOKEN=[REDACTED]\n');
    const diff = bench.deed(['work', 'diff', id, '--format', 'raw']).stdout;
    expect(diff).toContain('+++ b/leak.txt\n@@ -0,0 +1 @@\n+TOKEN=[REDACTED]\n');
    expect(
      `${log}${diff}${readFileSync(join(bench.home, 'runs', id, 'output.ndjson'), 'utf8')}`,
    ).not.toContain(token);
    expect(bench.deed(['work', 'diff', id, '--stat', '--format', 'text']).stdout).toBe(
      ' create leak.txt  +1 -0\n 1 files, +1 -0\n',
    );
  });
});

describe('the log of a job that never started', () => {
  /** Stores a job as its process left it before the first run. */
  const jobWith = (more: object): string => {
    const { job_id } = bench.work(item('x', 'true')).envelope.data;
    const path = join(bench.home, 'jobs', job_id, 'job.json');
    const { endedAt: _, sha256: __, ...job } = JSON.parse(readFileSync(path, 'utf8'));
    writeStored(path, { ...job, runs: {}, attempts: {}, ...more });
    return job_id;
  };

  it('ends if the job was interrupted', () => {
    const id = jobWith({ cancelled: true });
    expect(linesOf(bench.deed(['work', 'log', id, '--follow']))).toMatchObject([
      { type: 'summary', count: 0 },
    ]);
  });

  it('ends once a person drops the job, whose process was killed', () => {
    const id = jobWith({ owner: { pid: 2 ** 30, startedAt: '0', space: processSpace() } });
    const waiting = () =>
      (bench.deed(['overview']).envelope.data.waiting as { id: string; what: string }[]).filter(
        (entry) => entry.id === id,
      );
    expect(waiting()).toMatchObject([{ what: expect.stringMatching(/"x" exited.*deed work cancel job_/u) }]);
    expect(bench.confirmed('work', 'cancel', id).envelope.data.status).toBe('cancelled');
    expect(waiting()).toEqual([]);
    expect(bench.confirmed('work', 'cancel', id).envelope.error?.code).toBe('E_CONFLICT');
    expect(bench.confirmed('work', 'run', '--resume', id).envelope.data.status).toBe('succeeded');
  });

  it.runIf(LONG)('is E_TIMEOUT after a while, and the job can be resumed', () => {
    const id = jobWith({});
    const [line] = bench.deed(['work', 'log', id, '--follow']).stdout.split('\n');
    expect(JSON.parse(line ?? '').error).toMatchObject({
      code: 'E_TIMEOUT',
      details: { hint: expect.stringContaining(`deed work run --resume ${id}`) },
    });
    expect(bench.confirmed('work', 'run', '--resume', id).envelope.data.status).toBe('succeeded');
  });
});

describe('an interrupted job', () => {
  it('is resumed by the printed command, and its tasks are neither offered nor duplicated', async () => {
    const plan = item(
      'x',
      `touch ${bench.gate}/up; until test -e ${bench.gate}/go; do sleep 0.05; done; echo x > c`,
    );
    const file = bench.plan(plan);
    const token = bench.deed(['work', 'run', file, '--dry-run']).envelope.data.confirm_token as string;
    const child = startDeed(['work', 'run', file, '--confirm', token], { home: bench.home, cwd: bench.tree });
    const ended = waitFor(child);
    await until(() => existsSync(join(bench.gate, 'up')));
    child.kill('SIGINT');
    const { error } = (await ended).envelope;
    expect(error?.code).toBe('E_INTERRUPTED');
    const tasks = () =>
      bench.deed(['task', 'list']).envelope.data.items as { status: string; blocked_reason?: string }[];
    expect(tasks()).toMatchObject([
      { status: 'blocked', blocked_reason: `interrupted:deed work run --resume ${error?.details.job_id}` },
    ]);
    expect(bench.deed(['task', 'next']).envelope.data.task ?? null).toBeNull();
    writeFileSync(join(bench.gate, 'go'), '');
    const { resume, hint } = error?.details ?? { resume: '', hint: '' };
    const [tool, ...argv] = String(resume).split(' ');
    expect([tool, hint]).toEqual(['deed', expect.stringContaining(resume)]);
    expect(bench.deed(argv).envelope.data.status).toBe('succeeded');
    expect(tasks()).toMatchObject([{ status: 'completed' }]);
  });

  it.runIf(LONG)('that is started again from its plan uses the same tasks', () => {
    const plan = item('x', 'test -e c.txt && echo 1 > d.txt');
    expect(bench.work(plan).envelope.error?.code).toBe('E_AGENT_FAILED');
    bench.write('c.txt', 'now\n');
    expect(bench.work(plan).envelope.error).toBeUndefined();
    expect(bench.deed(['task', 'list']).envelope.data.items).toMatchObject([{ status: 'completed' }]);
  });
});

describe('a revision', () => {
  const agents = {
    // Continues from its earlier changes, and proves it.
    writer: {
      kind: 'command',
      argv: [
        '/bin/sh',
        '-c',
        'echo line >> kept.txt; test -z "$DEED_REVIEW" || cp "$DEED_REVIEW" review.json',
      ],
    },
    slow: {
      kind: 'command',
      argv: ['/bin/sh', '-c', 'test -z "$DEED_REVIEW" || { touch "$0/up"; sleep 60; }'],
    },
  };
  beforeEach(() => {
    const slow = { ...agents.slow, argv: [...agents.slow.argv, bench.gate], write_paths: [bench.gate] };
    bench.confirmed('config', 'set', 'work.agents', JSON.stringify({ ...shells(), ...agents, slow }));
  });

  it('of a denied run starts with its changes, and names them in a file for a command', () => {
    const denied = bench.work(
      item('w', 'Write.', { agent_id: 'writer', test_command: 'test "$(wc -l < kept.txt)" = 2' }),
    );
    expect(denied.envelope.error?.code).toBe('E_TESTS_FAILED');
    const id = denied.envelope.error?.details.run_id as string;
    const revised = bench.confirmed(
      'work',
      'revise',
      id,
      '--comment',
      'One more line',
      '--allow-unsandboxed',
    );
    expect(revised.envelope.error).toBeUndefined();
    expect(bench.read('kept.txt')).toBe('line\nline\n');
    expect(JSON.parse(bench.read('review.json'))).toMatchObject({
      of: id,
      comment: 'One more line',
      outcome: 'Tests failed',
      reapplied: true,
      diff: expect.stringContaining('+++ b/kept.txt'),
    });
    // Only the last run of an item can be sent back; a promoted one can.
    expect(bench.deed(['work', 'revise', id, '--comment', 'x', '--dry-run']).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { hint: expect.stringContaining('deed work revise run_') },
    });
    const [result] = revised.envelope.data.results;
    expect(bench.deed(['work', 'replay', result.run_id]).envelope.data).toMatchObject({ grade: 'exact' });
    const streamed = bench.confirmed('work', 'revise', result.run_id, '--comment', 'Again', '--stream');
    expect(streamed.stdout).toContain('"run.started"');
  });

  it('runs in the background, is interrupted, and is resumed with its comment', async () => {
    const first = bench.work(item('s', 'Wait.', { agent_id: 'slow' })).envelope.data.results[0]
      .run_id as string;
    const argv = ['work', 'revise', first, '--comment', 'Slower', '--detach'];
    const { job_id } = bench.confirmed(...argv).envelope.data;
    await until(() => existsSync(join(bench.gate, 'up')));
    expect(bench.confirmed('work', 'cancel', job_id).envelope.ok).toBe(true);
    const shown = bench.deed(['work', 'list', '--limit', '1']).envelope.data.items[0];
    expect(shown).toMatchObject({ status: 'failure', attempt: 2, revises: first });
  });

  it('of a run that a person rejected with a reason keeps both', () => {
    const waiting = bench.work(item('w', 'Write.', { agent_id: 'writer', approval: true }));
    const id = waiting.envelope.error?.details.run_id as string;
    const rejected = bench.confirmedAtTerminal('work', 'reject', id, '--reason', 'not like this');
    expect(rejected.envelope.data.denial_reason).toMatch(/^Rejected by user:.*: not like this$/u);
    const again = bench.confirmed('work', 'revise', id, '--comment', 'Like that');
    expect(again.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    expect(
      bench.deed(['work', 'show', again.envelope.error?.details.run_id]).envelope.data.attempts,
    ).toMatchObject([
      { run_id: id, status: 'denied' },
      { status: 'waiting', comment: 'Like that' },
    ]);
  });
});
