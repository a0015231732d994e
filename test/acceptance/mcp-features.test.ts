import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientOptions } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectHttp, connectStdio, independentClient, startHttp } from '../fixtures/mcp-client.ts';
import { confirmed, createHome, deed } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

/** The two generations of the protocol. */
const ERAS: readonly (readonly [string, ClientOptions])[] = [
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const taskOf = (title: string): string =>
  confirmed(['task', 'create', '--title', title], { home: home.path }).envelope.data.task.id as string;

/** What does not depend on the generation of the protocol is tested with the newer one; in the long suite with both. */
const isTested = (era: string): boolean => LONG || era === '2026';

describe.each(ERAS)('mcp serve with a client of %s', (era, options) => {
  const connect = async (extra: ClientOptions = {}, cwd = home.path) => {
    const connected = independentClient('foreign', { ...options, ...extra });
    await connectStdio(connected, home.path, cwd);
    return connected;
  };

  it.runIf(isTested(era))('offers prompts whose calls exist', async () => {
    const { client, call } = await connect();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['resume-work', 'plan-work', 'clean-up']);
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { goal: 'a parser' } });
      const [{ text }] = messages.map(({ content }) => content) as unknown as [{ text: string }];
      for (const [, tool = '', command = ''] of text.matchAll(/(call-\w+) of "([^"]+)"/gu))
        expect((await call('describe', { command })).data).toMatchObject({ call_with: tool });
      if (name === 'plan-work') expect(text).toContain('a parser');
    }
    await expect(client.getPrompt({ name: 'plan-work' })).rejects.toThrow('goal');
    await expect(client.getPrompt({ name: 'nope' })).rejects.toThrow('Unknown prompt');
    await client.close();
  });

  it('notifies of a task that another process changed, and of no other', async () => {
    const [watched, other] = [taskOf('watched'), taskOf('other')];
    const { client } = await connect();
    const updated: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    const uris = [`deed://tasks/${watched}`, 'deed://tasks'];
    if (era === '2025') {
      // A mistyped URI would never be notified of anything.
      await expect(client.subscribeResource({ uri: `deed://task/${watched}` })).rejects.toThrow(
        'Unknown resource',
      );
      for (const uri of uris) await client.subscribeResource({ uri });
    } else await client.listen({ resourceSubscriptions: uris });
    await changeUntil(watched, () => updated.length >= 2);
    expect(new Set(updated)).toEqual(new Set(uris));
    if (era === '2025') {
      for (const uri of uris) await client.unsubscribeResource({ uri });
      updated.length = 0;
      setPriority(other, 3);
      await sleep(1500);
      expect(updated).toEqual([]);
    }
    await client.close();
  });

  it('sends the warnings of a command as log messages', async () => {
    const settings = { mcpServers: { x: { command: 'true' } } };
    writeFileSync(join(home.path, '.ai-agent.json'), JSON.stringify(settings));
    const { client } = await connect();
    const logged: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => {
      logged.push([params.level, params.logger, params.data]);
    });
    const list = (level?: 'warning' | 'error') =>
      client.callTool({
        name: 'call-read',
        arguments: { command: 'agent tools' },
        ...(era === '2026' && level && { _meta: { 'io.modelcontextprotocol/logLevel': level } }),
      });
    if (era === '2025') await client.setLoggingLevel('error');
    await list('error');
    expect(logged).toEqual([]);
    if (era === '2025') await client.setLoggingLevel('warning');
    await list('warning');
    await expect.poll(() => logged.length).toBe(1);
    expect(logged[0]).toEqual(['warning', 'deed', expect.stringContaining('is not trusted')]);
    await client.close();
  });

  it('asks the user before it writes a directive, and writes it as theirs', async () => {
    const { client, call } = await connect({ capabilities: { elicitation: {} } });
    const questions: string[] = [];
    let approve = false;
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { approve } };
    });
    const parameters = { key: 'style', value: 'plain English', kind: 'directive' };
    const write = (request_id: string) =>
      call('call-write', { command: 'memory set', parameters, request_id });
    const declined = await write('r1');
    expect(declined.error).toMatchObject({ code: 'E_HUMAN_REQUIRED', details: { approved: false } });
    expect(memoryOf('style')).toBeUndefined();
    approve = true;
    expect((await write('r2')).ok).toBe(true);
    expect(memoryOf('style')).toMatchObject({ value: 'plain English', kind: 'directive' });
    expect(questions).toHaveLength(2);
    expect(questions[0]).toContain('foreign asks to run "memory set" as you');
    expect(questions[0]).toContain('plain English');
    await client.close();
  });

  it.runIf(isTested(era))('does not ask through a client that cannot, nor for a dry run', async () => {
    const parameters = { key: 'style', value: 'x', kind: 'directive' };
    const plain = await connect();
    const refused = await plain.call('call-write', { command: 'memory set', parameters, request_id: 'r' });
    expect(refused.error?.code).toBe('E_HUMAN_REQUIRED');
    await plain.client.close();
    const asking = await connect({ capabilities: { elicitation: { form: {} } } });
    asking.client.setRequestHandler('elicitation/create', () => {
      throw new Error('asked');
    });
    const dry = await asking.call('call-write', {
      command: 'memory set',
      parameters,
      request_id: 'r',
      dry_run: true,
    });
    expect(dry.error?.code).toBe('E_HUMAN_REQUIRED');
    await asking.client.close();
  });
});

it('a call inside a run does not ask, because its agent could answer', async () => {
  const { client, call } = independentClient('foreign', { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { approve: true } }));
  const env = { DEED_RUN_ID: 'run_0123456789ab0123456789ab', DEED_AGENT: 'agent-1' };
  await connectStdio({ client, call }, home.path, home.path, env);
  const parameters = { key: 'style', value: 'x', kind: 'directive' };
  const answer = await call('call-write', { command: 'memory set', parameters, request_id: 'r' });
  expect(answer.error?.code).toBe('E_HUMAN_REQUIRED');
  expect(memoryOf('style')).toBeUndefined();
  await client.close();
});

it('a client of 2026 is notified over HTTP, and one of 2025 is not offered it', async () => {
  const task = taskOf('watched');
  const server = await startHttp(home.path, home.path);
  const { client } = independentClient('foreign', ERAS[1]?.[1]);
  await connectHttp({ client, call: () => Promise.reject(new Error('unused')) }, server);
  const updated: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri);
  });
  await client.listen({ resourceSubscriptions: [`deed://tasks/${task}`] });
  await changeUntil(task, () => updated.length > 0);
  expect(new Set(updated)).toEqual(new Set([`deed://tasks/${task}`]));
  await client.close();
  const old = independentClient();
  await connectHttp(old, server);
  expect(old.client.getServerCapabilities()?.resources).toEqual({ subscribe: false });
  await old.client.close();
  await server.stop();
});

describe.each(ERAS.filter(([era]) => isTested(era)))(
  'a run that waits for approval, with a client of %s',
  (era, options) => {
    let bench: WorkBench;
    beforeAll(() => {
      bench = createBench();
    });
    afterAll(() => bench.dispose());

    it('is approved by the user of the client, and notified', async () => {
      const waiting = bench.work(item('ask', 'echo x > c.txt', { approval: true }));
      const { run_id: id } = (waiting.envelope.error as { details: unknown }).details as { run_id: string };
      const connected = independentClient('foreign', { ...options, capabilities: { elicitation: {} } });
      await connectStdio(connected, bench.home, bench.tree);
      const updated: string[] = [];
      connected.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(params.uri);
      });
      const uri = `deed://runs/${id}`;
      if (era === '2025') await connected.client.subscribeResource({ uri });
      else await connected.client.listen({ resourceSubscriptions: [uri] });
      let question = '';
      connected.client.setRequestHandler('elicitation/create', ({ params }) => {
        question = params.message;
        return { action: 'accept', content: { approve: true } };
      });
      const approved = await connected.call('call-write', { command: 'work approve', parameters: { id } });
      expect(approved.data).toMatchObject({ status: 'success', run_id: id });
      expect(approved.data.resume).toMatch(
        /^call-write \{"command":"work run","parameters":\{"resume":"job_/u,
      );
      expect(question).toContain('c.txt');
      expect(readFileSync(join(bench.tree, 'c.txt'), 'utf8')).toBe('x\n');
      const { receipt } = deed(['receipt', 'show', id], { home: bench.home }).envelope.data as {
        receipt: { approval: object };
      };
      expect(receipt.approval).toMatchObject({
        by: expect.stringMatching(/^user:/u) as string,
        note: 'Answered in the MCP client foreign',
      });
      await expect.poll(() => updated, { timeout: 5000 }).toContain(uri);
      await connected.client.close();
    });
  },
);

function setPriority(id: string, priority: number): void {
  confirmed(['task', 'set-priority', '--id', id, '--priority', String(priority)], { home: home.path });
}

/** Changes a task until the condition holds: a client that just subscribed may miss the first change. */
async function changeUntil(id: string, condition: () => boolean): Promise<void> {
  for (let priority = 1; priority < 10 && !condition(); priority += 1) {
    setPriority(id, priority);
    for (let wait = 0; wait < 20 && !condition(); wait += 1) await sleep(100);
  }
}

function memoryOf(key: string): unknown {
  return deed(['memory', 'get', '--key', key], { home: home.path }).envelope.data;
}
