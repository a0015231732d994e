import { describe, expect } from 'vitest';
import { mcpServer } from '../../../test/fixtures/run-ai-agent.ts';
import { wireTest as test, type RunOverWire } from '../../../test/fixtures/wire-session.ts';
import type { LlmServer } from '../../../test/fixtures/llm-server.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { LONG } from '../../../test/fixtures/start-node.ts';

/** What servers may ask for while a call runs, with the reference server of the protocol. */
const options = (
  server: LlmServer,
  settings: McpServerSettings,
  more: object = {},
): Parameters<RunOverWire>[0] => ({
  settings: { tools: ['all'], maxTurns: 3, ...more },
  config: {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    pricing: { p: { any: { input: 1, output: 1 } } },
    mcpServers: { all: { ...mcpServer('everything'), ...settings } },
  },
});

/** The model calls tools once, and then reports; requests of the server are answered. */
function callOnce(server: LlmServer, ...calls: readonly (readonly [tool: string, args: object])[]): void {
  const hasResult = (request: { messages: readonly { role: string }[] }): boolean =>
    request.messages.some(({ role }) => role === 'tool');
  server.mock.on({ predicate: hasResult }, { content: 'Done.' });
  server.mock.onMessage(/Resource .* context/u, { content: 'Forty-two.' });
  server.mock.onMessage(/Continue/u, {
    toolCalls: calls.map(([tool, args]) => ({ name: `all__${tool}`, arguments: JSON.stringify(args) })),
  });
}

const toolsOf = (server: LlmServer): readonly string[] =>
  ((server.requests[0]?.body.tools ?? []) as { function: { name: string } }[]).map(
    ({ function: { name } }) => name,
  );
const resultOf = (result: { conversation: readonly { role: string; content: string }[] }): string =>
  result.conversation.find(({ role }) => role === 'tool')?.content ?? '';

describe.concurrent('a tool server', () => {
  test('may neither ask nor send requests by default', async ({ server, runSession }) => {
    callOnce(server, ['echo', { message: 'hi' }]);
    await runSession(options(server, {}));
    const names = toolsOf(server).filter((name) => /elicitation|sampling|resources|prompt/u.test(name));
    expect(names).toEqual([]);
  });

  test('that may send requests gets answers of the model, which count as turns and are accounted', async ({
    server,
    runSession,
  }) => {
    callOnce(server, ['trigger-sampling-request', { prompt: 'What is the answer?', maxTokens: 50 }]);
    const { result } = await runSession(options(server, { sampling: 'allow' }));
    expect(resultOf(result)).toContain('Forty-two.');
    expect(result.turns).toBe(3);
    const requests = result.accounting.filter(({ type }) => type === 'llm');
    expect(requests.map(({ callPath }) => callPath)).toEqual(['agent', 'agent->all', 'agent']);
    expect(requests.every((entry) => entry.type === 'llm' && (entry.costUsd ?? 0) > 0)).toBe(true);
    const sampled = server.requests.find(({ body }) => JSON.stringify(body).includes('What is the answer?'));
    expect(sampled?.body).toMatchObject({ max_tokens: 50, temperature: 0.7 });
  });

  test.runIf(LONG)(
    'gets no answer when no turn would be left for the report',
    async ({ server, runSession }) => {
      callOnce(server, ['trigger-sampling-request', { prompt: 'What is the answer?' }]);
      const { result } = await runSession(options(server, { sampling: 'allow' }, { maxTurns: 2 }));
      expect(resultOf(result)).toContain('no turn is left for it (maxTurns is 2)');
      expect([result.finalReport.content, result.turns, server.requests.length]).toEqual(['Done.', 2, 2]);
    },
  );

  test.runIf(LONG)(
    'gets no answer when the budget of the session does not allow it',
    async ({ server, runSession }) => {
      callOnce(server, ['trigger-sampling-request', { prompt: 'x'.repeat(40_000) }]);
      const { result } = await runSession(options(server, { sampling: 'allow' }, { maxTotalTokens: 12_000 }));
      expect(resultOf(result)).toContain('the session has no budget left for it (max_tokens)');
    },
  );

  test('offers its resources and prompts as tools when that is configured', async ({
    server,
    runSession,
  }) => {
    callOnce(
      server,
      ['list_resources', {}],
      ['read_resource', { uri: 'demo://resource/dynamic/text/1' }],
      ['list_prompts', {}],
      ['get_prompt', { name: 'args-prompt', arguments: { city: 'Oslo' } }],
    );
    const { result } = await runSession(options(server, { resources: true, prompts: true }));
    const results = result.conversation.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    const expected = ['demo://resource/static/document/', 'Resource 1', 'args-prompt', 'Oslo'];
    expect(results).toEqual(expected.map((text) => expect.stringContaining(text) as string));
  });
});
