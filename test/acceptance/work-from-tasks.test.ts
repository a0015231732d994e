import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDeed, waitFor } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, shells, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

let bench: WorkBench;
let requests = 0;
beforeAll(() => {
  bench = createBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.dispose());

const query = (...argv: string[]) => vybe(argv, { home: bench.home }).answer.data;
const write = (...argv: string[]) => {
  requests += 1;
  return query(...argv, '--agent', 'planner', '--request-id', `r${requests}`);
};
/** Creates a task whose description is the script of its agent, after the title. */
const task = (script: string, project = bench.tree): string =>
  write('task', 'create', '--title', `: ${script.length}`, '--desc', script, '--project-id', project).task.id;
const dependsOn = (id: string, other: string) => write('task', 'add-dep', '--id', id, '--depends-on', other);
const statusOf = (id: string): string => query('task', 'get', '--id', id).status;
const fromTasks = (...flags: string[]): string[] => [
  'work',
  'run',
  '--from-tasks',
  '--agent',
  'agent-1',
  ...flags,
];
const previewOf = (...flags: string[]) => bench.deed([...fromTasks(...flags), '--dry-run']);
const outcomes = (id: string): { message: string }[] =>
  query('events', 'list', '--all', '--task-id', id, '--kind', 'run_ended').events;

describe('a plan from tasks', () => {
  it('contains ready tasks and their dependents only; the dry run shows it', () => {
    const a = task('echo a > a1');
    const b = task('echo b > b1');
    const c = task('cat a1 b1 > c1');
    const outside = task('true');
    const waits = task('true');
    const other = task('true', 'another project');
    dependsOn(c, a);
    dependsOn(c, b);
    write('task', 'set-status', '--id', outside, '--status', 'blocked', '--blocked-reason', 'a person');
    dependsOn(waits, outside);
    dependsOn(waits, a);
    const { changes } = previewOf().envelope.data.preview;
    expect(
      changes.map(({ id, after }: { id: string; after: { level: number; agent_id: string } }) => [
        id,
        after.level,
        after.agent_id,
      ]),
    ).toEqual([...[a, b].sort().map((id) => [id, 0, 'agent-1']), [c, 1, 'agent-1']]);
    expect(previewOf('--project', 'another project').envelope.data.preview.changes).toEqual([
      expect.objectContaining({ id: other }),
    ]);
    expect(previewOf('--limit', '1').envelope.data.preview.changes).toHaveLength(1);
    const run = bench.confirmed(...fromTasks());
    expect(run.envelope.data).toMatchObject({ status: 'succeeded' });
    expect([a, b, c, outside, waits, other].map(statusOf)).toEqual([
      'completed',
      'completed',
      'completed',
      'blocked',
      'blocked',
      'pending',
    ]);
    expect(bench.read('c1')).toBe('a\nb\n');
  });

  it('updates each task by its result, with the reason', () => {
    const good = task('echo x > good');
    const bad = task('exit 4');
    const after = task('echo x > after');
    dependsOn(after, bad);
    const run = bench.confirmed(...fromTasks('--test-command', 'test ! -e forbidden'));
    expect(run.envelope.error?.code).toBe('E_AGENT_FAILED');
    expect([good, bad, after].map(statusOf)).toEqual(['completed', 'blocked', 'blocked']);
    expect(query('task', 'get', '--id', bad).blocked_reason).toBe('failure:The agent failed: exit code 4');
    // A task with open dependencies is unblocked by the store, so the store's reason stays.
    expect(query('task', 'get', '--id', after).blocked_reason).toBe('dependency');
    expect(outcomes(after)[0]?.message).toContain(`denied: Dependency failed: ${bad}`);
    const again = task('touch forbidden');
    bench.confirmed(...fromTasks('--test-command', 'test ! -e forbidden'));
    expect(query('task', 'get', '--id', again).blocked_reason).toBe('failure:Tests failed');
  });

  it('uses agent, limits and tests from a directive of a person, and rejects invalid ones', () => {
    const id = task('echo 1 > one; echo 2 > two');
    const place = ['--scope', 'task', '--scope-id', id, '--key', 'work', '--kind', 'directive', '--value'];
    const direct = (value: string): void =>
      expect(bench.confirmed('memory', 'set', ...place, value).envelope.ok).toBe(true);
    direct('{"agent_id":"agent-2","constraints":{"max_files":1}}');
    const run = bench.confirmed('work', 'run', '--from-tasks');
    expect(resultsOf(run)[0].denial_reason).toBe('Exceeded max files: 2 > 1');
    expect(query('task', 'get', '--id', id).blocked_reason).toBe('denied:Exceeded max files: 2 > 1');
    write('task', 'set-status', '--id', id, '--status', 'pending');
    for (const value of ['{"id":"x"}', 'not JSON', '{"nope":1}']) {
      direct(value);
      expect(previewOf().envelope.error?.code).toBe('E_VALIDATION');
    }
  });

  it('does not run a task with settings that an agent could write or delete until a person confirms them', () => {
    const id = task('echo 1 > one');
    const key = ['--scope', 'task', '--scope-id', id, '--key', 'work'];
    write('memory', 'set', ...key, '--value', '{"test_command":"true"}');
    expect(previewOf().envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      details: {
        id,
        written_by: 'planner',
        hint: expect.stringContaining(`--kind directive --value '{"test_command":"true"}'`),
      },
    });
    write('memory', 'delete', ...key);
    expect(previewOf().envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    bench.confirmed('memory', 'set', ...key, '--kind', 'directive', '--value', '{"test_command":"false"}');
    const { changes } = previewOf().envelope.data.preview;
    expect(changes[0].after.test_command).toBe('false');
    expect(resultsOf(bench.confirmed(...fromTasks()))[0].error).toBe('Tests failed');
  });

  it('needs a task and an agent, and uses the only configured agent', () => {
    expect(previewOf().envelope.error?.code).toBe('E_NOT_FOUND');
    task('echo x > c.txt');
    expect(bench.deed(['work', 'run', '--from-tasks', '--dry-run']).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'agent' },
    });
    const one = { 'work.agents': { only: Object.values(shells(bench.gate))[0] } };
    bench.confirmed('config', 'set', 'work.agents', JSON.stringify(one['work.agents']));
    const { changes } = bench.deed(['work', 'run', '--from-tasks', '--dry-run']).envelope.data.preview;
    expect(changes[0].after.agent_id).toBe('only');
  });

  it.each([
    [['plan.json', '--from-tasks'], 'file'],
    [['plan.json', '--agent', 'agent-1'], 'agent'],
    [['plan.json', '--test-command', 'true'], 'test_command'],
    [['plan.json', '--project', 'p'], 'project'],
    [['plan.json', '--limit', '3'], 'limit'],
  ])('rejects %j', (argv, field) => {
    expect(bench.deed(['work', 'run', ...argv, '--dry-run']).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field },
    });
  });

  it('does not run again on the state that it left, and completes the task', () => {
    const id = task('date +%N > c.txt');
    bench.confirmed(...fromTasks());
    const was = bench.read('c.txt');
    write('task', 'set-status', '--id', id, '--status', 'pending');
    const run = bench.confirmed(...fromTasks());
    expect([run.envelope.ok, bench.read('c.txt'), statusOf(id)]).toEqual([true, was, 'completed']);
    expect(outcomes(id)[0]?.message).toContain('already done by run_');
  });

  it.runIf(LONG)('runs detached', async () => {
    const id = task('echo x > c.txt');
    const job = bench.confirmed(...fromTasks('--detach')).envelope.data;
    expect(job).toMatchObject({ status: 'pending' });
    await bench.ended(job.job_id);
    expect([statusOf(id), bench.read('c.txt')]).toEqual(['completed', 'x\n']);
  });
});

describe('a claim', () => {
  it('of another agent skips its task with a warning', () => {
    const mine = task('echo x > c.txt');
    const theirs = task('echo y > d.txt');
    write('task', 'begin', '--id', theirs);
    const preview = previewOf();
    expect(preview.envelope.data.preview.changes.map(({ id }: { id: string }) => id)).toEqual([mine]);
    expect(preview.stderr).toContain(`Skipped ${theirs}: claimed by planner until`);
  });

  it.runIf(LONG)('keeps two callers from running the same task', async () => {
    const wait = `while [ ! -e ${bench.gate}/go ]; do sleep 0.05; done`;
    const ids = [task(`${wait}; echo 1 > one.txt`), task(`${wait}; echo 2 > two.txt`)];
    const tokens = [previewOf(), previewOf()].map(({ envelope }) => envelope.data.confirm_token as string);
    const calls = tokens.map((token) => bench.deedAsync([...fromTasks(), '--confirm', token]));
    // The second caller fails while the first one is running.
    await Promise.race(calls);
    writeFileSync(join(bench.gate, 'go'), '');
    const runs = await Promise.all(calls);
    // It lost the race for the claims, or found no ready task.
    expect(runs.map(({ envelope }) => envelope.error?.code ?? 'ok').sort()).toEqual([
      expect.stringMatching(/^E_(?:CONFLICT|NOT_FOUND)$/u),
      'ok',
    ]);
    expect(ids.map(statusOf)).toEqual(['completed', 'completed']);
    expect(ids.map((id) => outcomes(id).length)).toEqual([1, 1]);
  });

  it.runIf(LONG).each(['SIGINT', 'SIGKILL'] as const)(
    'is not offered to other agents after %s, and the job is resumed as printed',
    async (signal) => {
      const first = task(`touch ${bench.gate}/started; until test -e ${bench.gate}/go; do sleep 0.05; done`);
      const second = task('echo x > c.txt');
      const third = task('echo y > d.txt');
      dependsOn(third, first);
      const all = () => [first, second, third].map(statusOf);
      const token = previewOf('--jobs', '1').envelope.data.confirm_token as string;
      const child = startDeed([...fromTasks('--jobs', '1'), '--confirm', token], {
        home: bench.home,
        cwd: bench.tree,
      });
      const ended = waitFor(child);
      while (!existsSync(join(bench.gate, 'started'))) await sleep(20);
      expect(statusOf(first)).toBe('in_progress');
      child.kill(signal);
      const stopped = await ended;
      if (signal === 'SIGKILL') bench.confirmed('work', 'recover');
      // Ids of the same millisecond are in random order, so the second item may have run first.
      expect(all()).toEqual(['blocked', expect.stringMatching(/^(?:blocked|completed)$/u), 'blocked']);
      expect(outcomes(first)).toHaveLength(1);
      expect(bench.deed(['task', 'next', '--project-id', bench.tree]).envelope.data.task).toBeNull();
      expect(previewOf().envelope.error?.code).toBe('E_NOT_FOUND');
      const [{ job_id }] = bench.deed(['work', 'list']).envelope.data.items;
      const resume = query('task', 'get', '--id', first).blocked_reason as string;
      expect(resume).toBe(`interrupted:deed work run --resume ${job_id}`);
      writeFileSync(join(bench.gate, 'go'), '');
      const printed = stopped.stdout === '' ? undefined : stopped.envelope.error?.details.resume;
      const resumed =
        typeof printed === 'string'
          ? bench.deed(printed.split(' ').slice(1))
          : bench.confirmed(...resume.replace('interrupted:deed ', '').split(' '));
      expect(resumed.envelope.data).toMatchObject({ status: 'succeeded' });
      expect(all()).toEqual(['completed', 'completed', 'completed']);
      expect(query('task', 'list').tasks).toHaveLength(3);
    },
  );
});
