import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createHome } from '../fixtures/run-deed.ts';
import { startVybe, vybe, vybeAsync, type VybeRun } from '../fixtures/run-vybe.ts';

const LONG = process.env.DEED_TEST_LONG === '1';
const homes: ReturnType<typeof createHome>[] = [];
const makeHome = (): string => {
  const home = createHome();
  homes.push(home);
  return home.path;
};
afterAll(() => {
  for (const home of homes) home.dispose();
});

/** Reads the database file without any code of deed. */
function readStore(home: string): { messages: string[]; integrity: unknown; requests: number } {
  const database = new DatabaseSync(join(home, 'deed.db'));
  try {
    return {
      messages: database
        .prepare("SELECT message FROM events WHERE kind = 'progress' ORDER BY id")
        .all()
        .map((row) => String(row.message)),
      integrity: database.prepare('PRAGMA integrity_check').get()?.integrity_check,
      requests: Number(database.prepare('SELECT count(*) AS n FROM requests').get()?.n),
    };
  } finally {
    database.close();
  }
}

const push = (id: string, message: string): string[] => [
  'push',
  '--agent',
  'racer',
  '--request-id',
  id,
  '--json',
  JSON.stringify({ event: { kind: 'progress', message } }),
];

describe('many processes on one store', () => {
  const [processes, pushes, racers] = LONG ? [50, 20, 32] : [6, 2, 12];

  it(`${processes} that push ${pushes} times each lose and duplicate nothing, while they also create the store`, async () => {
    const home = makeHome();
    const expected: string[] = [];
    await Promise.all(
      Array.from({ length: processes }, async (_, worker) => {
        for (let index = 0; index < pushes; index += 1) {
          const name = `${worker}-${index}`;
          expected.push(name);
          // Each write is sent twice, like from a caller that lost the first answer.
          const [first, again] = [
            await vybeAsync(push(name, name), { home }),
            LONG ? undefined : await vybeAsync(push(name, name), { home }),
          ];
          expect(first.answer, JSON.stringify(first.answer)).toMatchObject({ success: true });
          if (again) expect(again.answer.data).toEqual({ ...first.answer.data, replayed: true });
        }
      }),
    );
    const found = readStore(home);
    expect(found.messages.toSorted()).toEqual(expected.toSorted());
    expect([found.integrity, found.requests]).toEqual(['ok', expected.length]);
  }, 600_000);

  it.runIf(LONG)(
    '100 that write all the time wait at most five seconds, 99 times of 100',
    { timeout: 600_000 },
    async () => {
      const home = makeHome();
      expect(vybe(push('first', 'first'), { home }).answer.success).toBe(true);
      const waits: number[] = [];
      const failures: unknown[] = [];
      await Promise.all(
        Array.from({ length: 100 }, async (_, worker) => {
          for (let index = 0; index < 10; index += 1) {
            const startedAt = performance.now();
            const { answer } = await vybeAsync(push(`${worker}-${index}`, 'x'), { home });
            waits.push(performance.now() - startedAt);
            if (!answer.success) failures.push(answer);
          }
        }),
      );
      waits.sort((a, b) => a - b);
      const percentile = (share: number): number => Math.round(waits[Math.floor(waits.length * share)] ?? 0);
      console.log(`1,000 writes of 100 processes: p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms`);
      expect(failures).toEqual([]);
      // On a busy machine all of them wait longer, but none much longer than the others.
      expect(percentile(0.99)).toBeLessThan(Math.max(5000, 2 * percentile(0.5)));
    },
  );

  it(`${racers} that claim the same task have one winner`, async () => {
    const home = makeHome();
    const { id } = vybe(['task', 'create', '--title', 'x', '--agent', 'a', '--request-id', 'r'], { home })
      .answer.data.task as { id: string };
    const runs = await Promise.all(
      Array.from({ length: racers }, (_, racer) =>
        vybeAsync(['task', 'begin', '--id', id, '--agent', `agent-${racer}`, '--request-id', 'claim'], {
          home,
        }),
      ),
    );
    const winners = runs.filter(({ answer }) => answer.success);
    expect(winners).toHaveLength(1);
    const owner = winners[0]?.answer.data.task.claim.agent as string;
    for (const { answer } of runs.filter((run) => !run.answer.success))
      expect(answer).toMatchObject({ error_code: 'E_CONFLICT', error_context: { owner } });
  }, 300_000);

  it('with the same request id write once', async () => {
    const home = makeHome();
    const runs = await Promise.all(
      Array.from({ length: 8 }, () => vybeAsync(push('same', 'same'), { home })),
    );
    expect(runs.filter(({ answer }) => answer.success && answer.data.replayed !== true)).toHaveLength(1);
    expect(readStore(home).messages).toEqual(['same']);
  }, 120_000);
});

describe('a process that is killed at any moment', () => {
  const kills = LONG ? 200 : 6;

  it(`${kills} times: acknowledged writes are stored, none is duplicated, and retries complete the rest`, async () => {
    const home = makeHome();
    vybe(['upgrade'], { home });
    const sent = ['timed-1', 'timed-2', 'timed-3'];
    const acknowledged = [...sent];
    const durations = sent.map((name) => {
      const startedAt = performance.now();
      vybe(push(name, name), { home });
      return performance.now() - startedAt;
    });
    // The kills are spread over the whole call, also on a busy machine.
    const spanMs = 1.5 * Math.max(...durations);
    for (let round = 0; round < kills; round += 1) {
      const name = `kill-${round}`;
      sent.push(name);
      const child = startVybe(push(name, name), { home });
      let stdout = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stdin?.end();
      const ended = new Promise((resolve) => child.on('close', resolve));
      await sleep(((round * 0.618) % 1) * spanMs);
      child.kill('SIGKILL');
      await ended;
      if (stdout.includes('"success":true')) acknowledged.push(name);
    }
    const survived = readStore(home);
    if (LONG)
      console.log(
        `${kills} kills within ${Math.round(spanMs)} ms; of ${sent.length} writes, ${acknowledged.length} acknowledged, ${survived.messages.length} stored`,
      );
    expect(survived.integrity).toBe('ok');
    expect(acknowledged.filter((name) => !survived.messages.includes(name))).toEqual([]);
    expect(new Set(survived.messages).size).toBe(survived.messages.length);
    for (const name of sent) expect(vybe(push(name, name), { home }).answer.success).toBe(true);
    const repaired = readStore(home);
    expect(repaired.messages.toSorted()).toEqual(sent.toSorted());
    expect(repaired.integrity).toBe('ok');
  }, 900_000);
});

describe('an agent that is killed', () => {
  it('in the middle of a task is replaced by a new one, which resumes with its progress and completes the task', async () => {
    const home = makeHome();
    const project = ['--project-dir', '/app'];
    let requests = 0;
    const as = (agent: string, ...argv: string[]): VybeRun =>
      vybe([...argv, '--agent', agent, '--request-id', `${agent}-${(requests += 1)}`], { home });
    const created = as('ada', 'task', 'create', '--title', 'Ship the parser', '--project-id', '/app').answer
      .data.task as { id: string };
    expect(as('ada', 'resume', ...project).answer.data.focus_task_id).toBe(created.id);
    as('ada', 'task', 'begin', '--id', created.id, '--lease', '10m');
    as(
      'ada',
      'push',
      '--json',
      JSON.stringify({
        task_id: created.id,
        event: { kind: 'progress', message: 'lexer done; grammar half done, see notes' },
        memories: [
          { key: 'grammar', value: 'expressions are left to do', scope: 'task', scope_id: created.id },
        ],
      }),
    );
    // While the claim is active, no other agent can begin the task.
    expect(as('grace', 'task', 'begin', '--id', created.id).answer).toMatchObject({
      success: false,
      error_context: { owner: 'ada' },
    });
    // The last call of ada leaves a claim of one second; then its process is killed without releasing the task.
    as('ada', 'task', 'heartbeat', '--id', created.id, '--lease', '1s');
    await sleep(1100);
    const { focus_task_id, prompt } = as('grace', 'resume', ...project).answer.data as {
      focus_task_id: string;
      prompt: string;
    };
    expect(focus_task_id).toBe(created.id);
    for (const text of ['Ship the parser', 'lexer done', 'expressions are left to do', 'ada'])
      expect(prompt).toContain(text);
    expect(as('grace', 'task', 'begin', '--id', created.id).answer.success).toBe(true);
    const done = as(
      'grace',
      'task',
      'complete',
      '--id',
      created.id,
      '--outcome',
      'done',
      '--summary',
      'expressions too',
    );
    expect(done.answer.data.task.status).toBe('completed');
    const { events } = vybe(['events', 'list', '--all', '--task-id', created.id, '--asc'], { home }).answer
      .data as { events: { kind: string; agent_name: string }[] };
    expect(events.map(({ kind, agent_name }) => `${agent_name}: ${kind}`)).toEqual([
      'ada: task_created',
      'ada: task_status',
      'ada: agent_focus',
      'ada: progress',
      'ada: memory_set',
      'grace: task_reclaimed',
      'grace: agent_focus',
      'grace: task_status',
      'grace: task_closed',
    ]);
    // A late retry of ada does not get the task back.
    expect(as('ada', 'task', 'begin', '--id', created.id).answer.error_code).toBe('E_CONFLICT');
  }, 120_000);
});
