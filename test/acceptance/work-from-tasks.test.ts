import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDeed, waitFor } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { createBench, shells, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

let bench: WorkBench;
let requests = 0;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

const ask = (...argv: string[]) => vybe(argv, { home: bench.home }).answer.data;
const write = (...argv: string[]) => {
  requests += 1;
  return ask(...argv, '--agent', 'planner', '--request-id', `r${requests}`);
};
/** Makes a task whose description is what its agent, a shell, does after the title. */
const task = (script: string, project = bench.tree): string =>
  write('task', 'create', '--title', `: ${script.length}`, '--desc', script, '--project-id', project).task.id;
const dependsOn = (id: string, other: string) => write('task', 'add-dep', '--id', id, '--depends-on', other);
const statusOf = (id: string): string => ask('task', 'get', '--id', id).status;
const fromTasks = (...flags: string[]): string[] => [
  'work',
  'run',
  '--from-tasks',
  '--agent',
  'agent-1',
  ...flags,
];
const previewOf = (...flags: string[]) => bench.deed([...fromTasks(...flags), '--dry-run']);
const endings = (id: string): { message: string }[] =>
  ask('events', 'list', '--all', '--task-id', id, '--kind', 'run_ended').events;

describe('a plan of tasks', () => {
  it('has what is ready and what depends on it, and nothing else; the dry run shows it', () => {
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

  it('closes each task by its result, with the reason', () => {
    const good = task('echo x > good');
    const bad = task('exit 4');
    const after = task('echo x > after');
    dependsOn(after, bad);
    const run = bench.confirmed(...fromTasks('--test-command', 'test ! -e forbidden'));
    expect(run.envelope.error?.code).toBe('E_AGENT_FAILED');
    expect([good, bad, after].map(statusOf)).toEqual(['completed', 'blocked', 'blocked']);
    expect(ask('task', 'get', '--id', bad).blocked_reason).toBe('failure:The agent failed: exit code 4');
    // What waits for another task is lifted when that is done, so the store's own reason stays.
    expect(ask('task', 'get', '--id', after).blocked_reason).toBe('dependency');
    expect(endings(after)[0]?.message).toContain(`denied: Dependency failed: ${bad}`);
    const again = task('touch forbidden');
    bench.confirmed(...fromTasks('--test-command', 'test ! -e forbidden'));
    expect(ask('task', 'get', '--id', again).blocked_reason).toBe('failure:Tests failed');
  });

  it('takes agent, limits and tests from the memory of a task, and refuses what is none', () => {
    const id = task('echo 1 > one; echo 2 > two');
    const place = ['--scope', 'task', '--scope-id', id, '--key', 'work', '--value'];
    write('memory', 'set', ...place, '{"agent_id":"agent-2","constraints":{"max_files":1}}');
    const run = bench.confirmed('work', 'run', '--from-tasks');
    expect(resultsOf(run)[0].denial_reason).toBe('Exceeded max files: 2 > 1');
    expect(ask('task', 'get', '--id', id).blocked_reason).toBe('denied:Exceeded max files: 2 > 1');
    write('task', 'set-status', '--id', id, '--status', 'pending');
    for (const value of ['{"id":"x"}', 'no json', '{"nope":1}']) {
      write('memory', 'set', ...place, value);
      expect(previewOf().envelope.error?.code).toBe('E_VALIDATION');
    }
  });

  it('needs a task and an agent, and takes the one agent that there is', () => {
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
  ])('does not fit %j', (argv, field) => {
    expect(bench.deed(['work', 'run', ...argv, '--dry-run']).envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      details: { field },
    });
  });

  it('that is run again on the state that it left is closed without running', () => {
    const id = task('date +%N > c.txt');
    bench.confirmed(...fromTasks());
    const was = bench.read('c.txt');
    write('task', 'set-status', '--id', id, '--status', 'pending');
    const run = bench.confirmed(...fromTasks());
    expect([run.envelope.ok, bench.read('c.txt'), statusOf(id)]).toEqual([true, was, 'completed']);
    expect(endings(id)[0]?.message).toContain('done before by run_');
  });

  it('runs detached like any other', async () => {
    const id = task('echo x > c.txt');
    expect(bench.confirmed(...fromTasks('--detach')).envelope.data).toMatchObject({ status: 'pending' });
    while (statusOf(id) !== 'completed') await sleep(50);
    expect(bench.read('c.txt')).toBe('x\n');
  });
});

describe('a claim', () => {
  it('of a live agent leaves its task out and says so', () => {
    const mine = task('echo x > c.txt');
    const theirs = task('echo y > d.txt');
    write('task', 'begin', '--id', theirs);
    const preview = previewOf();
    expect(preview.envelope.data.preview.changes.map(({ id }: { id: string }) => id)).toEqual([mine]);
    expect(preview.stderr).toContain(`${theirs} is left out: planner has it until`);
  });

  it('keeps two callers from running the same task', async () => {
    const wait = `while [ ! -e ${bench.gate}/go ]; do sleep 0.05; done`;
    const ids = [task(`${wait}; echo 1 > one.txt`), task(`${wait}; echo 2 > two.txt`)];
    const tokens = [previewOf(), previewOf()].map(({ envelope }) => envelope.data.confirm_token as string);
    const calls = tokens.map((token) => bench.deedAsync([...fromTasks(), '--confirm', token]));
    // Whoever came too late is told while the other one is at work.
    await Promise.race(calls);
    writeFileSync(join(bench.gate, 'go'), '');
    const runs = await Promise.all(calls);
    // The late one lost the race for the claims, or found that nothing is left to claim.
    expect(runs.map(({ envelope }) => envelope.error?.code ?? 'ok').sort()).toEqual([
      expect.stringMatching(/^E_(?:CONFLICT|NOT_FOUND)$/u),
      'ok',
    ]);
    expect(ids.map(statusOf)).toEqual(['completed', 'completed']);
    expect(ids.map((id) => endings(id).length)).toEqual([1, 1]);
  });

  it('is given back when deed is killed, with everything that was not begun', async () => {
    const first = task(`touch ${bench.gate}/begun; sleep 600`);
    const second = task('echo x > c.txt');
    const third = task('echo y > d.txt');
    dependsOn(third, first);
    const token = previewOf('--jobs', '1').envelope.data.confirm_token as string;
    const child = startDeed([...fromTasks('--jobs', '1'), '--confirm', token], {
      home: bench.home,
      cwd: bench.tree,
    });
    const ended = waitFor(child);
    while (!existsSync(join(bench.gate, 'begun'))) await sleep(20);
    // Ids of the same millisecond sort by chance, so the second may have run before the first.
    const begun = [first, second].map(statusOf);
    expect(begun).toEqual(['in_progress', 'in_progress']);
    child.kill('SIGKILL');
    await ended;
    bench.confirmed('work', 'recover');
    expect([first, second, third].map(statusOf)).toEqual(['pending', 'pending', 'blocked']);
    expect(endings(first)).toHaveLength(1);
    const [{ job_id }] = bench.deed(['work', 'list']).envelope.data.items;
    write('task', 'set-priority', '--id', first, '--priority', '5');
    expect(bench.deed(['work', 'run', '--resume', job_id, '--dry-run']).envelope.ok).toBe(true);
  });
});
