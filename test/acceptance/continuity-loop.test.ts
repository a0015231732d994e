import { spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import {
  identifyProcess,
  isSameProcessAlive,
  type ProcessIdentity,
} from '../../src/system/process-identity.ts';
import { createHome, deed, waitFor } from '../fixtures/run-deed.ts';
import { startVybe, vybeAsync, vybeInShell, vybe, type VybeRun } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';

const homes: ReturnType<typeof createHome>[] = [];
afterAll(() => {
  for (const home of homes) home.dispose();
});

/** A store with an agent program that logs each run as a line "<task> <pid>" and keeps its prompts. */
class Bench {
  readonly home: string;
  readonly runs: string;

  constructor() {
    const home = createHome();
    homes.push(home);
    this.home = home.path;
    this.runs = join(home.path, 'runs');
    mkdirSync(this.runs);
  }

  create(title: string, ...flags: string[]): string {
    const { answer } = this.vybe('task', 'create', '--title', title, ...flags);
    return answer.data.task.id as string;
  }

  vybe(...argv: string[]): VybeRun {
    const identity = ['--agent', 'worker', '--request-id', `r${Math.random()}`];
    return vybe([...argv, ...(argv[1] === 'list' ? [] : identity)], { home: this.home });
  }

  // eslint-disable-next-line typescript/no-explicit-any -- answers of any shape
  task(id: string): any {
    return vybe(['task', 'get', '--id', id], { home: this.home }).answer.data;
  }

  /** Writes a program; in the script, $id is the task, and "finish" completes it. */
  program(script: string): string {
    const path = join(this.home, 'agent.sh');
    const lines = [
      '#!/bin/sh',
      'for last; do :; done',
      'prompt="${last#@}"',
      `id=$(grep -o -- '--id task_[0-9a-z]*' "$prompt" | head -n 1 | cut -d ' ' -f 2)`,
      `cp "$prompt" "${this.runs}/$id.$$"`,
      `finish() { ${vybeInShell()} task complete --id "$id" --outcome done --summary ok --agent worker --request-id "$id" >/dev/null; }`,
      script,
    ];
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 });
    return path;
  }

  /** The runs of the program: task and process. */
  started(): { task: string; pid: number; prompt: string }[] {
    return readdirSync(this.runs).map((name) => {
      const [task = '', pid = ''] = name.split('.');
      return { task, pid: Number(pid), prompt: readFileSync(join(this.runs, name), 'utf8') };
    });
  }

  argv(command: string, ...flags: string[]): string[] {
    const backoff = flags.includes('--backoff') ? [] : ['--backoff', '0s'];
    return ['loop', '--agent', 'worker', '--command', command, '--cooldown', '0s', ...backoff, ...flags];
  }

  loop(command: string, ...flags: string[]): ReturnType<typeof vybeAsync> {
    return vybeAsync(this.argv(command, ...flags), { home: this.home });
  }

  start(command: string, ...flags: string[]): ChildProcess {
    return startVybe(this.argv(command, ...flags), { home: this.home });
  }

  /** Waits until the program runs, and returns its process. */
  async running(): Promise<ProcessIdentity> {
    await expect.poll(() => this.started().length, { timeout: 60_000 }).toBe(1);
    const agent = identifyProcess(this.started()[0]?.pid ?? 0);
    if (agent === undefined) throw new Error('the agent has already exited');
    return agent;
  }
}

describe('a loop', () => {
  it('blocks a task after its attempts with the last lines of its error, passes the error to the second attempt, and runs the others', async () => {
    const bench = new Bench();
    const bad = bench.create('bad', '--priority', '5');
    const good = [bench.create('good'), bench.create('fine')];
    const program = bench.program(
      `if [ "$id" = "${bad}" ]; then seq 1 100 >&2; echo 'error: no space left <recorded>' >&2; exit 3; fi\nfinish`,
    );
    const { answer } = await bench.loop(program);
    expect(answer.data).toMatchObject({ completed: 2, failed: 2, total: 4 });
    const statuses = answer.data.results.map(({ task_id, status }: Record<string, string>) => [
      task_id,
      status,
    ]);
    expect(statuses.filter(([id]: string[]) => id === bad)).toEqual([
      [bad, 'failed'],
      [bad, 'blocked'],
    ]);
    expect(good.map((id) => bench.task(id).status)).toEqual(['completed', 'completed']);
    const blocked = bench.task(bad);
    expect(blocked).toMatchObject({ status: 'blocked', attempts: 2 });
    expect(blocked.blocked_reason).toMatch(
      /^failure:[\s\S]*99\n100\nerror: no space left <recorded>\nIt exited with code 3\.$/u,
    );
    expect(blocked.claim).toBeUndefined();
    const prompts = bench
      .started()
      .filter(({ task }) => task === bad)
      .map(({ prompt }) => prompt);
    const retry = prompts.find((prompt) => prompt.includes('This is attempt 2 of 2')) ?? '';
    expect([
      prompts.length,
      retry.includes('error: no space left'),
      retry.split('<recorded>').length,
    ]).toEqual([
      2,
      true,
      // The tag is named in the rule, opens the brief and opens the error; the one in the error is escaped.
      4,
    ]);
  }, 180_000);

  it('waits before the second attempt, and runs another task meanwhile', async () => {
    const bench = new Bench();
    const bad = bench.create('bad', '--priority', '5');
    bench.create('good');
    const program = bench.program(`[ "$id" = "${bad}" ] && exit 1\nfinish`);
    const startedAt = performance.now();
    const { answer } = await bench.loop(program, '--backoff', '3s');
    expect(answer.data.results.map(({ status }: { status: string }) => status)).toEqual([
      'failed',
      'completed',
      'blocked',
    ]);
    expect(performance.now() - startedAt).toBeGreaterThan(3000);
  }, 120_000);

  it('resets the attempts of a task that was returned to the queue by hand', async () => {
    const bench = new Bench();
    const id = bench.create('bad');
    await bench.loop(bench.program('exit 1'), '--max-attempts', '1');
    expect(bench.task(id)).toMatchObject({ status: 'blocked', attempts: 1 });
    bench.vybe('task', 'set-status', '--id', id, '--status', 'pending');
    expect(bench.task(id).attempts).toBeUndefined();
    const { answer } = await bench.loop(bench.program('finish'));
    expect(answer.data).toMatchObject({ completed: 1, total: 1 });
  }, 120_000);

  it('prints all its warnings, and keeps and records only the first ones', async () => {
    const bench = new Bench();
    bench.create('bad');
    const failing = join(bench.home, 'failing.sh');
    writeFileSync(failing, '#!/bin/sh\nexit 7\n', { mode: 0o755 });
    const attempts = ['--max-attempts', '22', '--max-tasks', '22', '--max-fails', '100'];
    const { answer, stderr } = await bench.loop(failing, ...attempts);
    expect(answer.data.total).toBe(22);
    const isWarning = /The agent exited with 7/gu;
    const { items } = deed(['audit', 'list', '--command', 'loop', '--limit', '1'], { home: bench.home })
      .envelope.data;
    expect([stderr.match(isWarning)?.length, items[0].note.match(isWarning).length]).toEqual([22, 20]);
  }, 120_000);

  it('returns the claim if its command does not exist', async () => {
    const bench = new Bench();
    const id = bench.create('x');
    const { answer } = await bench.loop('clade');
    expect(answer).toMatchObject({ success: false, error_code: 'E_CONFIG' });
    expect(bench.task(id)).toMatchObject({ status: 'pending' });
    expect(bench.task(id)).not.toHaveProperty('claim');
    expect(bench.task(id)).not.toHaveProperty('attempts');
  }, 120_000);

  it('does not end because the task in focus waits for another task', async () => {
    const bench = new Bench();
    const [waits, blocker, free] = ['waits', 'blocker', 'free'].map((title) => bench.create(title));
    bench.vybe('task', 'begin', '--id', waits ?? '');
    bench.vybe('task', 'add-dep', '--id', waits ?? '', '--depends-on', blocker ?? '');
    // Another agent works on the blocker.
    vybe(['task', 'begin', '--id', blocker ?? '', '--agent', 'other', '--request-id', 'b'], {
      home: bench.home,
    });
    const { answer } = await bench.loop(bench.program('finish'));
    expect(answer.data.results).toMatchObject([{ task_id: free, status: 'completed' }]);
  }, 120_000);

  it.runIf(LONG)(
    'that a person starts has a name that its agents may use',
    async () => {
      const bench = new Bench();
      const id = bench.create('x');
      const program = join(bench.home, 'person.sh');
      const flags = `--id ${id} --outcome done --summary ok --request-id c`;
      // Without --agent: the name is in the environment.
      writeFileSync(program, `#!/bin/sh\nexec ${vybeInShell()} task complete ${flags}\n`, { mode: 0o755 });
      const { answer } = await vybeAsync(['loop', '--command', program], { home: bench.home });
      expect(answer.data).toMatchObject({ completed: 1, total: 1 });
    },
    120_000,
  );

  it('does not run the abandoned task of another project', async () => {
    const bench = new Bench();
    const foreign = bench.create('foreign', '--project-id', '/a');
    vybe(['task', 'begin', '--id', foreign, '--lease', '1s', '--agent', 'other', '--request-id', 'b'], {
      home: bench.home,
    });
    await sleep(1100);
    const program = bench.program('finish');
    const { answer } = await bench.loop(program, '--project-dir', '/b');
    expect([answer.data.total, bench.started()]).toEqual([0, []]);
    expect((await bench.loop(program, '--project-dir', '/a')).answer.data.completed).toBe(1);
  }, 120_000);
});

describe('two loops under one name', () => {
  it('run every task once', async () => {
    const bench = new Bench();
    const ids = Array.from({ length: 8 }, (_, index) => bench.create(`t${index}`));
    const program = bench.program('sleep 0.3\nfinish');
    const loops = await Promise.all([bench.loop(program), bench.loop(program)]);
    expect(loops.map(({ answer }) => answer.data.completed).reduce((a, b) => a + b)).toBe(ids.length);
    expect(loops.map(({ answer }) => answer.data.failed)).toEqual([0, 0]);
    expect(
      bench
        .started()
        .map(({ task }) => task)
        .toSorted(),
    ).toEqual(ids.toSorted());
  }, 300_000);

  it('do not run the task that a session without a loop has claimed', async () => {
    const bench = new Bench();
    const [held, free] = [bench.create('held', '--priority', '9'), bench.create('free')];
    bench.vybe('task', 'begin', '--id', held);
    const { answer } = await bench.loop(bench.program('finish'));
    expect(answer.data.results).toMatchObject([{ task_id: free }]);
  }, 120_000);
});

describe('a killed process', () => {
  it('(the loop, by SIGTERM) ends its agent and returns the claim', async () => {
    const bench = new Bench();
    const id = bench.create('x');
    const loop = bench.start(bench.program('sleep 600'));
    const ended = waitFor(loop);
    const agent = await bench.running();
    loop.kill('SIGTERM');
    await ended;
    expect(isSameProcessAlive(agent)).toBe(false);
    expect(bench.task(id)).toMatchObject({ status: 'pending' });
    expect(bench.task(id)).not.toHaveProperty('claim');
  }, 120_000);

  it('(the loop, by SIGKILL) takes its agent and their children with it, and the next loop gets the task', async () => {
    const bench = new Bench();
    const id = bench.create('x');
    const child = join(bench.home, 'child');
    const slow = bench.program(`setsid sh -c 'echo $$ > ${child}; sleep 600' &\nsleep 600`);
    const loop = bench.start(slow);
    const ended = waitFor(loop);
    const agent = await bench.running();
    await expect
      .poll(() => existsSync(child) && readFileSync(child, 'utf8') !== '', { timeout: 30_000 })
      .toBe(true);
    const grandchild = identifyProcess(Number(readFileSync(child, 'utf8')));
    loop.kill('SIGKILL');
    await ended;
    await expect
      .poll(() => [agent, grandchild].map((process) => process && isSameProcessAlive(process)), {
        timeout: 30_000,
      })
      .toEqual([false, false]);
    await expect.poll(() => bench.task(id).status, { timeout: 30_000 }).toBe('pending');
    expect(bench.task(id)).not.toHaveProperty('claim');
    expect((await bench.loop(bench.program('finish'))).answer.data.completed).toBe(1);
  }, 180_000);

  it('(the agent) is a failed attempt, and the task is tried again', async () => {
    const bench = new Bench();
    const id = bench.create('x');
    const loop = bench.start(
      bench.program(`grep -q 'attempt 2 of' "$prompt" && { finish; exit 0; }\nsleep 600`),
    );
    const ended = waitFor(loop);
    const agent = await bench.running();
    spawnSync('kill', ['-9', String(agent.pid)]);
    const { stdout } = await ended;
    expect(JSON.parse(stdout).data.results).toMatchObject([{ status: 'failed' }, { status: 'completed' }]);
    expect(bench.task(id).status).toBe('completed');
  }, 120_000);
});

describe('loops that are killed at random moments', () => {
  const kills = process.env.DEED_TEST_LONG === '1' ? 60 : 2;
  it('leave no process and no claim, count no attempt, and the next ones complete all tasks', async () => {
    const bench = new Bench();
    const ids = Array.from({ length: kills }, (_, index) => bench.create(`t${index}`));
    const program = bench.program('sleep 0.2\nfinish');
    const agents: ProcessIdentity[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const loop = bench.start(program, '--max-tasks', '100');
      const ended = waitFor(loop);
      await sleep(100 + Math.random() * 900);
      agents.push(...bench.started().flatMap(({ pid }) => identifyProcess(pid) ?? []));
      loop.kill('SIGKILL');
      await ended;
    }
    await expect.poll(() => agents.filter(isSameProcessAlive), { timeout: 30_000 }).toEqual([]);
    const open = (): unknown[] => bench.vybe('task', 'list', '--status', 'in_progress').answer.data.tasks;
    await expect.poll(open, { timeout: 30_000 }).toEqual([]);
    const { answer } = await bench.loop(program, '--max-tasks', '100');
    expect(answer.data.failed).toBe(0);
    expect(ids.map((id) => [bench.task(id).status, bench.task(id).attempts])).toEqual(
      ids.map(() => ['completed', undefined]),
    );
  }, 600_000);
});

describe('eight agents', () => {
  it('take eight tasks in eight calls, without a conflict', async () => {
    const bench = new Bench();
    const ids = Array.from({ length: 8 }, (_, index) => bench.create(`t${index}`));
    const take = (agent: string): ReturnType<typeof vybeAsync> =>
      vybeAsync(['task', 'take', '--agent', agent, '--request-id', 'take', '--lease', '10m'], {
        home: bench.home,
      });
    const agents = Array.from({ length: 8 }, (_, index) => `agent-${index}`);
    const answers = (await Promise.all(agents.map(take))).map(({ answer }) => answer);
    expect(answers.map(({ success }) => success)).toEqual(ids.map(() => true));
    expect(answers.map(({ data }) => data.task.id as string).toSorted()).toEqual(ids.toSorted());
    expect(answers.map(({ data }) => data.task.claim.agent)).toEqual(agents);
    const again = (await take('agent-0')).answer.data;
    expect([again.replayed, again.task.id]).toEqual([true, answers[0]?.data.task.id]);
    const ninth = await vybeAsync(['task', 'take', '--agent', 'agent-8', '--request-id', 'take'], {
      home: bench.home,
    });
    expect(ninth.answer).toMatchObject({ success: true, data: { task: null } });
  }, 120_000);
});
