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

/** What is really in the file, asked without any code of ours. */
function look(home: string): { messages: string[]; integrity: unknown; requests: number } {
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
  const [processes, pushes] = LONG ? [50, 20] : [12, 2];

  it(`${processes} that push ${pushes} times each lose nothing and double nothing, the first creating the store together`, async () => {
    const home = makeHome();
    const expected: string[] = [];
    await Promise.all(
      Array.from({ length: processes }, async (_, worker) => {
        for (let index = 0; index < pushes; index += 1) {
          const name = `${worker}-${index}`;
          expected.push(name);
          // Every write is sent twice, as by a caller whose first answer was lost.
          const [first, again] = [
            await vybeAsync(push(name, name), { home }),
            LONG ? undefined : await vybeAsync(push(name, name), { home }),
          ];
          expect(first.answer, JSON.stringify(first.answer)).toMatchObject({ success: true });
          if (again) expect(again.answer.data).toEqual({ ...first.answer.data, replayed: true });
        }
      }),
    );
    const found = look(home);
    expect(found.messages.toSorted()).toEqual(expected.toSorted());
    expect([found.integrity, found.requests]).toEqual(['ok', expected.length]);
  }, 600_000);

  it('32 that race for one task have one winner', async () => {
    const home = makeHome();
    const { id } = vybe(['task', 'create', '--title', 'x', '--agent', 'a', '--request-id', 'r'], { home })
      .answer.data.task as { id: string };
    const runs = await Promise.all(
      Array.from({ length: 32 }, (_, racer) =>
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

  it('that race with one request id write once', async () => {
    const home = makeHome();
    const runs = await Promise.all(
      Array.from({ length: 8 }, () => vybeAsync(push('same', 'same'), { home })),
    );
    expect(runs.filter(({ answer }) => answer.success && answer.data.replayed !== true)).toHaveLength(1);
    expect(look(home).messages).toEqual(['same']);
  }, 120_000);
});

describe('a process that is killed at any moment', () => {
  const kills = LONG ? 200 : 8;

  it(`${kills} times: what was acknowledged is there, nothing is there twice, and a retry completes the rest`, async () => {
    const home = makeHome();
    vybe(['upgrade'], { home });
    const acknowledged: string[] = [];
    const sent: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      const name = `kill-${round}`;
      sent.push(name);
      const child = startVybe(push(name, name), { home });
      let stdout = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stdin?.end();
      const ended = new Promise((resolve) => child.on('close', resolve));
      await sleep((round * 37) % 120);
      child.kill('SIGKILL');
      await ended;
      if (stdout.includes('"success":true')) acknowledged.push(name);
    }
    const survived = look(home);
    expect(survived.integrity).toBe('ok');
    expect(acknowledged.filter((name) => !survived.messages.includes(name))).toEqual([]);
    expect(new Set(survived.messages).size).toBe(survived.messages.length);
    for (const name of sent) expect(vybe(push(name, name), { home }).answer.success).toBe(true);
    const repaired = look(home);
    expect(repaired.messages.toSorted()).toEqual(sent.toSorted());
    expect(repaired.integrity).toBe('ok');
  }, 900_000);
});

describe('the story of an agent that dies', () => {
  it('one agent is killed in the middle of a task; another, fresh, resumes, learns what was done and finishes it', async () => {
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
        event: { kind: 'progress', message: 'lexer done; grammar half way, see notes' },
        memories: [
          { key: 'grammar', value: 'expressions are left to do', scope: 'task', scope_id: created.id },
        ],
      }),
    );
    // While the claim may still be hers, nobody takes the task away from her.
    expect(as('grace', 'task', 'begin', '--id', created.id).answer).toMatchObject({
      success: false,
      error_context: { owner: 'ada' },
    });
    // Ada's last call leaves a claim of one second; then her process dies: no status, no release, nothing.
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
    // Ada's late retry of her own claim does not take anything back.
    expect(as('ada', 'task', 'begin', '--id', created.id).answer.error_code).toBe('E_CONFLICT');
  }, 120_000);
});
