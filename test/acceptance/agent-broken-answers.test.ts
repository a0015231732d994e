import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { agentTest } from '../fixtures/agent-test.ts';
import { aiAgent, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { aiAgentHere } from '../fixtures/run-ai-agent-here.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Answers that break after a part of them was received: they may be charged, so they count towards the limits. */
const SENT = 'sunny '.repeat(200);
const SENT_TOKENS = SENT.length / 4;

type Answer = (response: ServerResponse) => void;

const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`;
const said = (delta: object): string => chunk({ choices: [{ index: 0, delta }] });
const USAGE = '"prompt_tokens":1,"completion_tokens":1,"total_tokens":2';
const asText = USAGE.replaceAll(/\d/gu, '"$&"');
const infinite = USAGE.replaceAll(/\d/gu, '1e999');

const stream =
  (...events: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.join(''));
  };
const withUsage = (usage: string): string =>
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }).replace(
    'null',
    `{${usage}}`,
  );
const body = (usage: string): string =>
  JSON.stringify({
    id: '1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: SENT }, finish_reason: 'stop' }],
    usage: null,
  }).replace('"usage":null', `"usage":{${usage}}`);
const complete =
  (text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(text);
  };
/** Sends a part and resets the connection. */
const cut =
  (type: string, part: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.write(part, () => setTimeout(() => response.destroy(), 50));
  };

const STREAMED: Readonly<Record<string, Answer>> = {
  'a stream with token counts as text': stream(said({ content: SENT }), withUsage(asText)),
  'a stream with infinite token counts': stream(said({ content: SENT }), withUsage(infinite)),
  'a stream that ends early': stream(said({ content: SENT })),
  'a stream that is reset': cut('text/event-stream', said({ content: SENT })),
  'a stream of reasoning that is reset': cut('text/event-stream', said({ reasoning_content: SENT })),
  'a stream with an event that is not JSON': stream(said({ content: SENT }), 'data: {"choices": [\n\n'),
  'a tool call that is reset': cut(
    'text/event-stream',
    said({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'x', arguments: SENT } }] }),
  ),
};
const WHOLE: Readonly<Record<string, Answer>> = {
  'a body with token counts as text': complete(body(asText)),
  'a body with infinite token counts': complete(body(infinite)),
  'a body that is reset': cut('application/json', body(USAGE).slice(0, -40)),
};
const REFUSED: Readonly<Record<string, Answer>> = {
  'a refused request': (response) => response.writeHead(500).end(SENT),
  'a connection closed without an answer': (response) => response.destroy(),
};

interface Endpoint {
  readonly requests: () => number;
  readonly answer: (answer: Answer) => void;
  readonly configure: (defaults: object) => void;
  readonly ask: (...flags: string[]) => Promise<{ code: number | null; entries: readonly Entry[] }>;
}

interface Entry {
  readonly status: string;
  readonly tokens: { inputTokens: number; outputTokens: number; totalTokens: number; estimated?: true };
  readonly costUsd?: number;
}

const test = agentTest.extend<{ endpoint: Endpoint }>({
  endpoint: async ({ folder }, use) => {
    let respond: Answer = () => undefined;
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      request.resume().on('end', () => respond(response));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    await use({
      requests: () => requests,
      answer: (answer) => {
        respond = answer;
      },
      configure: (defaults) => configure(folder, server, defaults),
      ask: async (...flags) => {
        const argv = ['You are a tester.', 'Go.', '--models', 'p/m', '--accounting', 'a.jsonl', ...flags];
        const { code } = LONG ? await aiAgent(argv, { folder }) : await aiAgentHere(argv, folder);
        const lines = folder.read('a.jsonl').trim().split('\n');
        return { code, entries: lines.map((line) => JSON.parse(line) as Entry) };
      },
    });
    server.close();
    server.closeAllConnections();
  },
});

function configure(folder: AgentFolder, server: Server, defaults: object): void {
  const { port } = server.address() as AddressInfo;
  const models = { m: { pricing: { input: 1, output: 10 } } };
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', apiKey: 'k', baseUrl, models } },
    defaults,
  });
}

describe('the accounting of an answer that broke', () => {
  const cases = [
    ...Object.entries(STREAMED).map(([name, answer]) => ({ name, answer, isStreamed: true })),
    ...Object.entries(WHOLE).map(([name, answer]) => ({ name, answer, isStreamed: false })),
  ];
  test.for(cases)(
    'counts the prompt and what was received of $name',
    async ({ answer, isStreamed }, { endpoint }) => {
      endpoint.answer(answer);
      endpoint.configure({ maxTurns: 1, maxRetries: 1, stream: isStreamed });
      const { code, entries } = await endpoint.ask();
      expect([code, entries.length, endpoint.requests()]).toEqual([1, 1, 1]);
      const [{ status, tokens, costUsd } = { status: '', tokens: undefined }] = entries;
      expect([status, tokens?.estimated]).toEqual(['failed', true]);
      expect(tokens?.inputTokens).toBeGreaterThan(100);
      expect(tokens?.outputTokens).toBeGreaterThanOrEqual(SENT_TOKENS);
      expect(tokens?.outputTokens).toBeLessThan(SENT_TOKENS * 2);
      expect(costUsd).toBeCloseTo(((tokens?.inputTokens ?? 0) + 10 * (tokens?.outputTokens ?? 0)) / 1e6, 9);
    },
  );

  test.for(Object.entries(REFUSED))('counts nothing of %s', async ([, answer], { endpoint }) => {
    endpoint.answer(answer);
    endpoint.configure({ maxTurns: 1, maxRetries: 1, stream: true });
    const { code, entries } = await endpoint.ask();
    expect([code, entries.map(({ tokens }) => tokens.totalTokens)]).toEqual([1, [0]]);
  });
});

describe('a limit on tokens', () => {
  test.for(Object.entries({ ...STREAMED, ...WHOLE }))(
    'ends a session that gets only %s',
    async ([name, answer], { endpoint }) => {
      endpoint.answer(answer);
      endpoint.configure({ maxTurns: 10, maxRetries: 5, stream: name in STREAMED });
      const { code, entries } = await endpoint.ask('--max-total-tokens', '3000');
      expect(code).toBe(1);
      const spent = entries.reduce((total, { tokens }) => total + tokens.totalTokens, 0);
      expect(spent).toBeGreaterThan(1000);
      expect(spent).toBeLessThan(3000);
      expect(endpoint.requests()).toBeLessThan(8);
    },
  );
});
