import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectStdio, independentClient, type IndependentClient } from '../fixtures/mcp-client.ts';
import { confirmed, createHome, deed, type Envelope } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';

let home: ReturnType<typeof createHome>;
let id: string;
beforeEach(() => {
  home = createHome();
  id = write('task', 'create', '--title', 'x', '--project-id', 'app').data.task.id as string;
});
afterEach(() => home.dispose());

const inSession = (session: string | undefined, ...argv: string[]): Envelope =>
  confirmed([...argv, '--agent', 'ada'], {
    home: home.path,
    ...(session !== undefined && { env: { DEED_SESSION: session } }),
  }).envelope;
const write = (...argv: string[]): Envelope => inSession(undefined, ...argv);
const complete = (session?: string): Envelope =>
  inSession(session, 'task', 'complete', '--id', id, '--outcome', 'done', '--summary', 's');
const task = (): Envelope['data'] => deed(['task', 'get', id], { home: home.path }).envelope.data;

describe('sessions of one agent', () => {
  it('exclude each other, and a call without a session acts for the agent', () => {
    const taken = inSession('s1', 'task', 'take', '--project-id', 'app', '--lease', '10m');
    expect(taken.data.task).toMatchObject({ id, claim: { agent: 'ada', session: 's1', number: 1 } });
    expect(inSession('s2', 'task', 'take', '--project-id', 'app').data.task).toBeNull();
    expect(complete('s2').error).toMatchObject({
      code: 'E_CONFLICT',
      message: expect.stringContaining('claimed by ada (session s1)'),
      details: { owner: 'ada', session: 's1', claim_number: 1 },
    });
    expect(complete().data.task.status).toBe('completed');
  });

  it('in hooks are those of the host: a task of another session is not completed, only noted', () => {
    inSession('s1', 'task', 'begin', '--id', id);
    const completed = (session_id: string): unknown =>
      vybe(['hook', 'task-completed', '--agent', 'ada'], {
        home: home.path,
        input: JSON.stringify({ session_id, task_id: id, task_subject: 'x', cwd: 'app' }),
      }).code;
    expect([completed('s2'), task().status]).toEqual([0, 'in_progress']);
    expect([completed('s1'), task().status]).toEqual([0, 'completed']);
  });
});

it('a person overrides a claim after a preview that names the holder, and this is logged', () => {
  inSession('s1', 'task', 'begin', '--id', id);
  const argv = ['task', 'set-status', '--id', id, '--status', 'pending'];
  const { preview } = deed([...argv, '--dry-run'], { home: home.path }).envelope.data;
  expect(preview.changes[0].before.claimed_by).toBe('ada (session s1)');
  const { envelope } = confirmed(argv, { home: home.path });
  expect(envelope.data.task).toMatchObject({ status: 'pending' });
  const events = deed(['events', 'list', '--all', '--task-id', id, '--kind', 'claim_overridden'], {
    home: home.path,
  }).envelope.data.items;
  expect(events).toMatchObject([{ metadata: { holder: 'ada', session: 's1', claim_number: 1 } }]);
  expect(complete('s1').error?.details).toMatchObject({ reason: 'claim-lost', lost_claim_number: 1 });
});

it('a task is taken from the store of --db-path, and only there', () => {
  const other = ['--db-path', join(home.path, 'other.db')];
  expect(write('task', 'take', ...other).data.task).toBeNull();
  const elsewhere = write('task', 'create', '--title', 'y', ...other).data.task.id;
  expect(write('task', 'take', ...other).data.task.id).toBe(elsewhere);
  expect(task().status).toBe('pending');
});

describe('two MCP servers for one client name', () => {
  const call = (connected: IndependentClient, command: string, parameters: object): Promise<Envelope> =>
    connected.call('call-write', { command, parameters, request_id: `r${Math.random()}` });
  const done = { outcome: 'done', summary: 's' };

  it('exclude each other, until the session that claimed the task ends', async () => {
    const [first, second] = [independentClient('desk'), independentClient('desk')];
    await connectStdio(first, home.path, home.path);
    await connectStdio(second, home.path, home.path);
    const taken = await call(first, 'task take', { project_id: 'app' });
    const session = taken.data.task.claim.session as string;
    expect(session).toMatch(/^mcp-[0-9a-f]{16}$/u);
    expect((await call(second, 'task take', {})).data.task).toBeNull();
    const early = await call(second, 'task complete', { id, ...done });
    expect(early.error).toMatchObject({ code: 'E_CONFLICT', details: { owner: 'desk', session } });
    await first.client.close();
    await expect.poll(() => task().claim.session, { timeout: 20_000 }).toBeUndefined();
    expect((await call(second, 'task complete', { id, ...done })).data.task.status).toBe('completed');
    await second.client.close();
  }, 60_000);
});
