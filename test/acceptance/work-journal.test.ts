import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDeed, waitFor } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { holdStore } from '../fixtures/hold-store.ts';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

interface StoredEvent {
  readonly kind: string;
  readonly agent_name: string;
  readonly project_id?: string;
  readonly task_id: string | null;
  readonly message: string;
  readonly metadata: Record<string, unknown>;
}

let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.dispose());

const query = (...argv: string[]) => vybe(argv, { home: bench.home }).answer.data;
const eventsOf = (...filters: string[]): StoredEvent[] =>
  query('events', 'list', '--all', '--asc', '--limit', '1000', ...filters).events;
const tasks = (): Record<string, unknown>[] => query('task', 'list').tasks;
const kinds = (): string[] => eventsOf().map(({ kind }) => kind);

/** Starts a job and returns its process once the agent runs the script. */
async function startWaiting(script: string) {
  const plan = bench.plan(item('slow', `echo x > c.txt; touch ${bench.gate}/started; ${script}`));
  const preview = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data;
  const child = startDeed(['work', 'run', plan, '--confirm', preview.confirm_token as string], {
    home: bench.home,
    cwd: bench.tree,
  });
  const ended = waitFor(child);
  while (!existsSync(join(bench.gate, 'started'))) await sleep(20);
  return { child, ended };
}

describe('a successful run', () => {
  it('has a task, events, files with size and hash, and a summary', () => {
    const run = bench.work(
      item('greet', 'printf hello > c.txt; rm b.txt', { test_command: 'echo "3 passed, 0 failed"; true' }),
    );
    const [result] = resultsOf(run);
    const listed = tasks();
    const [task] = listed;
    const events = eventsOf();
    const owner = `agent-1@${run.envelope.data.job_id}`;
    expect(listed).toEqual([
      expect.objectContaining({
        title: 'greet: printf hello > c.txt; rm b.txt',
        description: 'printf hello > c.txt; rm b.txt',
        status: 'completed',
        project_id: bench.tree,
      }),
    ]);
    expect(events.map(({ kind, agent_name, task_id }) => [kind, agent_name, task_id])).toEqual(
      [
        'task_created',
        'task_status',
        'run_started',
        'run_ended',
        'artifact_added',
        'memory_set',
        'task_status',
      ].map((kind) => [kind, owner, task?.id]),
    );
    expect(events.find(({ kind }) => kind === 'run_ended')?.metadata).toEqual({
      run_id: result.run_id,
      job_id: run.envelope.data.job_id,
      item_id: 'greet',
      agent_id: 'agent-1',
      phase: 'tranche',
      status: 'success',
      receipt_id: result.receipt_id,
      receipt_hash: bench.deed(['receipt', 'show', result.run_id]).envelope.data.receipt.receipt_hash,
      files: { created: 1, modified: 0, deleted: 1 },
    });
    const path = join(bench.tree, 'c.txt');
    expect(query('artifacts', 'list', '--task-id', String(task?.id)).artifacts).toEqual([
      expect.objectContaining({ file_path: path, size_bytes: 5, blake3: result.artifact_hashes[path] }),
    ]);
    const scope = ['--scope', 'task', '--scope-id', String(task?.id)];
    expect(query('memory', 'get', '--key', 'summary', ...scope).value).toContain(
      'done, files: 1 created, 1 deleted (c.txt)',
    );
  });

  it('is recorded once, and its task is pending again after a rollback', () => {
    const run = bench.work(item('one', 'echo x > c.txt'));
    bench.work(item('one', 'echo x > c.txt'));
    expect(kinds().filter((kind) => kind === 'run_ended')).toHaveLength(1);
    bench.confirmed('work', 'rollback', resultsOf(run)[0].run_id);
    expect([tasks()[0]?.status, eventsOf('--kind', 'run_ended').at(-1)?.message]).toEqual([
      'pending',
      expect.stringContaining('was rolled back'),
    ]);
  });

  it('is in the brief with its end, not also with its start', () => {
    bench.work(item('greet', 'printf hello > c.txt'));
    const { brief } = query('resume', '--peek', '--agent', 'next', '--project-dir', bench.tree);
    const told = [...brief.recent_events, ...brief.runs].map(({ kind }: StoredEvent) => kind);
    expect(told).toContain('run_ended');
    expect(told).not.toContain('run_started');
  });

  it('uses the task of its item, and is denied if another agent has claimed it', () => {
    const agent = ['--agent', 'someone', '--request-id'];
    const mine = query('task', 'create', '--title', 'mine', ...agent, 'r1').task.id;
    const theirs = query('task', 'create', '--title', 'theirs', ...agent, 'r2').task.id;
    query('task', 'begin', '--id', theirs, ...agent, 'r3');
    bench.work(item('a', 'printf %s "$DEED_TASK_ID" > c.txt', { task_id: mine }));
    expect([bench.read('c.txt'), query('task', 'get', '--id', mine).status]).toEqual([mine, 'completed']);
    const run = bench.work(item('b', 'echo x > d.txt', { task_id: theirs }));
    expect(resultsOf(run)[0]).toMatchObject({
      status: 'denied',
      denial_reason: expect.stringContaining(`The task ${theirs} is claimed by someone until`),
    });
    expect(existsSync(join(bench.tree, 'd.txt'))).toBe(false);
    expect(query('task', 'get', '--id', theirs)).toMatchObject({
      status: 'in_progress',
      claim: { agent: 'someone' },
    });
    expect(eventsOf('--task-id', theirs, '--kind', 'run_started')).toEqual([]);
  });
});

describe('an unsuccessful run', () => {
  it('records its reason in the task, and no files', () => {
    const rows = [
      [
        'wide',
        'denied',
        'echo 1 > c; echo 2 > d',
        { constraints: { max_files: 1 } },
        'Exceeded max files: 2 > 1',
      ],
      ['exits', 'failed', 'exit 3', {}, 'The agent failed: exit code 3'],
      ['tests', 'failed', 'echo x > c.txt', { test_command: 'false' }, 'Tests failed'],
      ['slow', 'stopped', 'sleep 60', { constraints: { timeout_ms: 300 } }, 'Timed out after 300 ms'],
    ] as const;
    const run = bench.work(
      rows.map(([id, , script, more]) => item(id, script, more)),
      '--jobs',
      '4',
    );
    const listed = tasks();
    const all = eventsOf();
    for (const [id, word, script, , reason] of rows) {
      const result = resultsOf(run).find(({ item_id }: { item_id: string }) => item_id === id);
      const task = listed.find(({ title }) => title === `${id}: ${script}`);
      const kind = word === 'denied' ? 'denied' : 'failure';
      expect(task).toMatchObject({ status: 'blocked', blocked_reason: `${kind}:${reason}` });
      const events = all.filter(({ task_id }) => task_id === task?.id);
      expect(events.map((event) => event.kind)).toEqual([
        'task_created',
        'task_status',
        'run_started',
        'run_ended',
        'task_status',
      ]);
      expect(events.find((event) => event.kind === 'run_ended')).toMatchObject({
        message: expect.stringContaining(`${id} (${result.run_id}, agent-1): ${word}: `),
        metadata: { status: result.status, reason: result.denial_reason ?? result.error },
      });
    }
    expect(all.filter(({ kind }) => kind === 'artifact_added')).toEqual([]);
  });

  it('with a failed dependency is recorded as denied and never starts', () => {
    bench.work([item('a', 'exit 1'), item('b', 'echo x > c', { dependencies: ['a'] })]);
    const ended = eventsOf('--kind', 'run_ended').map(({ message }) => message);
    expect(ended[0]).toContain('a (run_');
    expect(ended[1]).toMatch(/^b \(.*denied: Dependency failed: a; the tree is unchanged$/u);
    expect(ended[2]).toMatch(/^plan \(.*denied: Dependency failed: a, b$/u);
    expect(eventsOf('--kind', 'run_started')).toHaveLength(1);
    expect(tasks().map(({ title, blocked_reason }) => [title, blocked_reason])).toEqual([
      ['a: exit 1', 'failure:The agent failed: exit code 1'],
      ['b: echo x > c', 'denied:Dependency failed: a'],
    ]);
  });

  it('that was killed has its task blocked until it is resumed with "work recover", once', async () => {
    const { child, ended } = await startWaiting('sleep 600');
    expect([tasks()[0]?.status, kinds()]).toEqual([
      'in_progress',
      ['task_created', 'task_status', 'run_started'],
    ]);
    child.kill('SIGKILL');
    await ended;
    const who = ['--agent', 'next', '--request-id', 'next'];
    const { prompt } = query('resume', ...who, '--project-dir', bench.tree);
    expect(prompt).toMatch(/: started, and no end is recorded: "deed work status" tells whether/u);
    for (let times = 0; times < 2; times += 1) {
      expect(bench.confirmed('work', 'recover').envelope.error).toBeUndefined();
      expect([tasks().map(({ status }) => status), kinds()]).toEqual([
        ['blocked'],
        ['task_created', 'task_status', 'run_started', 'run_ended', 'task_status'],
      ]);
    }
    const [end] = eventsOf('--kind', 'run_ended');
    const [run] = bench.deed(['work', 'list']).envelope.data.items;
    expect(end?.message).toContain('interrupted: The process of this run exited before the run ended');
    expect(end?.metadata).toMatchObject({ run_id: run.run_id, status: 'failure' });
  });

  it('that waits for approval is recorded as waiting, then as decided', () => {
    const run = bench.work(item('ask', 'echo x > c.txt', { approval: true }));
    const runId = run.envelope.error?.details.run_id as string;
    expect([tasks()[0]?.status, kinds().at(-1)]).toEqual(['in_progress', 'run_waiting']);
    bench.confirmedAtTerminal('work', 'reject', runId, '--note', 'not now');
    const [rejected] = tasks();
    expect([rejected?.status, rejected?.blocked_reason]).toEqual([
      'blocked',
      expect.stringMatching(/^denied:Rejected by .*: not now$/u),
    ]);
  });
});

describe('a failing store', () => {
  it('that is busy does not fail the run; the run is recorded later, once', async () => {
    query('task', 'create', '--title', 'other', '--agent', 'x', '--request-id', 'r');
    const release = await holdStore(join(bench.home, 'deed.db'));
    const run = await bench.workAsync(item('busy', 'echo x > c.txt'));
    await release();
    expect(run.envelope.data).toMatchObject({ status: 'succeeded' });
    expect(run.stderr).toContain('Cannot record run_');
    expect([bench.read('c.txt'), eventsOf('--kind', 'run_ended')]).toEqual(['x\n', []]);
    const [{ run_id }] = resultsOf(run);
    expect(bench.deed(['work', 'recover', '--dry-run']).envelope.data.preview.changes).toEqual([
      { action: 'journal', resource: 'run', id: run_id },
    ]);
    expect(bench.confirmed('work', 'recover').envelope.data).toMatchObject({
      recovered: [],
      journalled: [run_id],
    });
    expect(kinds().slice(1)).toEqual([
      'task_created',
      'task_status',
      'run_started',
      'run_ended',
      'artifact_added',
      'memory_set',
      'task_status',
    ]);
    expect(bench.confirmed('work', 'recover').envelope.data).toMatchObject({ recovered: [], journalled: [] });
    expect(readdirSync(join(bench.home, 'outbox'))).toEqual([]);
  });

  it('that is corrupt does not fail the run', () => {
    writeFileSync(join(bench.home, 'deed.db'), 'not a database'.repeat(1000));
    const run = bench.work(item('x', 'echo x > c.txt'));
    expect(run.envelope.data).toMatchObject({ status: 'succeeded' });
    expect([run.stderr.includes('Cannot record run_'), bench.read('c.txt')]).toEqual([true, 'x\n']);
  });
});

describe('a new agent', () => {
  it('gets the runs, denials and reasons from resume', () => {
    bench.work([
      item('good', 'echo x > c.txt'),
      item('wide', 'for n in 1 2 3; do echo $n > f$n; done', { constraints: { max_files: 2 } }),
    ]);
    const { brief, prompt } = query(
      'resume',
      '--agent',
      'fresh',
      '--request-id',
      'r',
      '--project-dir',
      bench.tree,
    );
    const messages = brief.runs.map(({ message }: { message: string }) =>
      message.replaceAll(/run_\w+/gu, 'RUN'),
    );
    expect(messages.sort()).toEqual([
      'good (RUN, agent-1): done, files: 1 created (c.txt)',
      'plan (RUN, agent-0): denied: Dependency failed: wide',
      'wide (RUN, agent-1): denied: Exceeded max files: 3 > 2; the tree is unchanged',
    ]);
    expect(prompt).toContain('Runs of work, newest first');
    expect(prompt).toContain('denied: Exceeded max files: 3');
    expect(
      bench.deed(['brief', '--agent', 'other', '--project-dir', bench.tree]).envelope.data.brief.runs,
    ).toEqual(brief.runs.map((run: { id: number }) => ({ ...run, id: String(run.id) })));
  });
});
