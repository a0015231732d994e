import { afterAll, beforeAll, describe, expect } from 'vitest';
import { agentTest as test, type AgentFixtures } from '../fixtures/agent-test.ts';
import { INSTRUCTIONS, startHttpToolServer, type HttpToolServer } from '../fixtures/http-tool-server.ts';
import { aiAgent, type AgentRun } from '../fixtures/run-ai-agent.ts';
import { scriptModel } from '../fixtures/script-model.ts';

/** `ai-agent` with a tool server of the official SDK on a loopback socket. */
let tools: HttpToolServer;
beforeAll(async () => {
  tools = await startHttpToolServer('token-of-the-test');
});
afterAll(() => tools.close());

interface ToolEntry {
  readonly command: string;
  readonly timestamp: number;
  readonly latency: number;
}

function run({ server, folder }: AgentFixtures, token: string): Promise<AgentRun> {
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    mcpServers: {
      tool: { type: 'http', url: tools.url, headers: { Authorization: 'Bearer ${TOKEN}' }, queue: 'one' },
    },
    queues: { one: { concurrent: 1 } },
  });
  const flags = '--models p/m --tools tool --transport native --accounting usage.jsonl';
  return aiAgent(['You test.', 'Test.', ...flags.split(' ')], { folder, env: { TOKEN: token } });
}

describe.concurrent('a tool server on a socket', () => {
  test('is used with its instructions and new tools, and its session is closed', async ({
    server,
    folder,
    expect: check,
  }) => {
    scriptModel(
      server,
      [
        { calls: [['tool__grow', {}]] },
        { calls: ['a', 'b', 'c'].map(() => ['tool__slow', {}] as const) },
        { calls: [['tool__grown', {}]] },
        { report: 'Done.' },
      ],
      'm',
    );
    const { code, stdout } = await run({ server, folder }, 'token-of-the-test');
    check([code, stdout]).toEqual([0, 'Done.\n']);
    const [first, , third, last] = server.requests.map(({ body }) => JSON.stringify(body));
    check(first).toContain(INSTRUCTIONS);
    check([first?.includes('tool__grown'), third?.includes('tool__grown')]).toEqual([false, true]);
    check(last).toContain('the new tool ran');
    const ended = (): number =>
      tools.requests.filter(({ method, session }) => method === 'DELETE' && session !== undefined).length;
    await check.poll(ended, { timeout: 30_000 }).toBe(1);

    // One call at a time: each latency ends before the next call starts, so it has no time in the queue.
    const slow = folder
      .read('usage.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ToolEntry)
      .filter(({ command }) => command === 'tool__slow')
      .toSorted((a, b) => a.timestamp - b.timestamp);
    check(slow).toHaveLength(3);
    const gaps = slow.slice(1).map(({ timestamp }, n) => {
      const before = slow[n];
      return timestamp - ((before?.timestamp ?? 0) + (before?.latency ?? 0));
    });
    // Two clocks, rounded to milliseconds.
    for (const gap of gaps) check(gap).toBeGreaterThan(-20);
  });

  test('that rejects the token is explained with the setting that is wrong', async ({ server, folder }) => {
    const { code, stderr } = await run({ server, folder }, 'another');
    expect([code, server.requests]).toEqual([3, []]);
    expect(stderr).toContain('it requires authorization (HTTP 401)');
    expect(stderr).toContain('or set mcpServers.tool.headers');
  });
});
