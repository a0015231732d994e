import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest as test, type AgentFixtures } from '../fixtures/agent-test.ts';
import { aiAgent, mcpServer, type AgentRun } from '../fixtures/run-ai-agent.ts';
import { agentHere } from '../fixtures/run-here.ts';
import { chatDelta, sse } from '../fixtures/wire-session.ts';

/** What real providers send, and what they must receive, through the executable; the session's own tests have the variants. */
const KEY = 'plainkey4711Zebra';

function configure({ server, folder }: AgentFixtures, more: object = {}): void {
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', apiKey: KEY, baseUrl: `${server.url}/v1` } },
    ...more,
  });
}

const ASKED = ['You are a tester.', 'Continue.', '--models', 'p/any'];
const ask = ({ folder }: AgentFixtures, ...flags: string[]): Promise<AgentRun> =>
  agentHere([...ASKED, ...flags], { folder });

describe.concurrent('the answer of a model', () => {
  test('is printed as it is, except for configured keys', async ({ server, folder }) => {
    configure({ server, folder });
    const report = { token: 'EUR', password: 'changeme1', count: 3, note: 'password=changeme1' };
    server.mock.onMessage(/./u, { content: JSON.stringify({ ...report, seen: KEY }) });
    const schema = JSON.stringify({ type: 'object', properties: { count: { type: 'integer' } } });
    const flags = ['--max-turns', '1', '--format', 'json', '--schema', schema];
    const run = await aiAgent([...ASKED, ...flags], { folder });
    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, { ...report, seen: '[REDACTED]' }]);
    expect(run.stderr).toContain('replaced by [REDACTED]');
  });

  test('that was cut off at the output limit is marked', async ({ server, folder }) => {
    configure({ server, folder });
    server.mock.onMessage(/./u, { content: 'The first half of', finishReason: 'length' });
    const run = await ask({ server, folder }, '--max-turns', '1');
    expect([run.code, run.stdout]).toEqual([0, 'The first half of\n']);
    expect(run.stderr).toContain('cut off at the output limit');
  });

  test('whose stream is whole but has no finish reason is accepted with a warning', async ({
    server,
    folder,
  }) => {
    configure({ server, folder });
    server.failNext({ garbage: sse(chatDelta({ role: 'assistant', content: 'Whole.' }), '[DONE]') });
    const run = await ask({ server, folder }, '--max-turns', '1', '--max-retries', '1');
    expect([run.code, run.stdout]).toEqual([0, 'Whole.\n']);
    expect(run.stderr).toContain('no finish reason');
  });
});

describe.concurrent('a rejected request', () => {
  test('with Retry-After and a reset header waits as long as Retry-After says', async ({
    server,
    folder,
  }) => {
    configure({ server, folder });
    server.failNext({
      status: 429,
      headers: { 'retry-after': '1', 'x-ratelimit-reset-requests': '6m0s' },
    });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const startedAt = Date.now();
    const run = await ask({ server, folder }, '--max-turns', '1');
    expect([run.code, server.requests.length]).toEqual([0, 2]);
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  });

  test.for<[string, number, string, string]>([
    ['a limit on spending', 429, 'enforced_spend_limit_reached', 'quota'],
    ['exhausted credit', 400, 'credit_balance_exhausted', 'quota'],
    ['an unknown model', 404, 'model_not_found', 'baseUrl of the provider'],
  ])('because of %s is not retried', async ([, status, code, hint], { server, folder }) => {
    configure({ server, folder });
    const failure = { status, body: { error: { code, message: 'No.' } } };
    server.failNext(failure, failure, failure);
    const run = await ask({ server, folder });
    expect([run.code, run.stdout.includes('No.'), server.requests.length]).toEqual([1, true, 1]);
    expect(run.stderr).toContain(`${server.url}/v1/chat/completions`);
    expect(run.stderr).toContain(hint);
  });
});

describe.concurrent('the forced final turn', () => {
  test.for([
    ['native', 'required'],
    ['xml-final', 'auto'],
  ])('offers exactly the report: %s', async ([transport = '', choice], { server, folder }) => {
    configure({ server, folder }, { mcpServers: { tool: mcpServer('faulty') } });
    const hasResult = ({ messages }: { messages: { role: string }[] }): boolean =>
      messages.some(({ role }) => role === 'tool');
    server.mock.on({ predicate: hasResult }, { content: 'Seen.' });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__echo', arguments: '{}' }] });
    await ask({ server, folder }, '--tools', 'tool', '--max-turns', '2', '--transport', transport);
    expect(server.requests.at(-1)?.body).toMatchObject({
      tools: [{ function: { name: 'agent__final_report' } }],
      tool_choice: choice,
    });
  });
});

describe.concurrent('a key of the home configuration and an address of a folder', () => {
  test.for<[string, object, number]>([
    ['are used with a warning', {}, 0],
    ['are refused with trust: strict', { trust: 'strict' }, 4],
  ])('%s', async ([, more, code], { server, folder }) => {
    folder.write(join('..', 'home', '.ai-agent', 'ai-agent.json'), {
      providers: { p: { type: 'openai-compatible', apiKey: KEY } },
      ...more,
    });
    folder.write('.ai-agent.json', { providers: { p: { baseUrl: `${server.url}/v1` } } });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const run = await ask({ server, folder }, '--max-turns', '1');
    expect([run.code, server.requests.length]).toEqual([code, code === 0 ? 1 : 0]);
    if (code === 0) expect(run.stderr).toContain('Set both in one file');
  });
});
