import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { mcpServer } from '../../../test/fixtures/run-ai-agent.ts';
import { wireTest as test } from '../../../test/fixtures/wire-session.ts';
import { rowsOf } from '../../../test/fixtures/start-node.ts';

/** What sessions do with the optional parts of the protocol. */
interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}
const names = (body: Body): string[] => (body.tools ?? []).map((tool) => tool.function.name);
const results = ({ messages }: { messages: readonly { role: string }[] }): number =>
  messages.filter(({ role }) => role === 'tool').length;

describe.concurrent('a tool server', () => {
  test('that announces a new tool gets it offered in the next turn', async ({ server, runSession }) => {
    server.mock.on({ predicate: (request) => results(request) === 2 }, { content: 'Done.' });
    server.mock.on(
      { predicate: (request) => results(request) === 1 },
      { toolCalls: [{ name: 'tool__grown', arguments: '{}' }] },
    );
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__grow', arguments: '{}' }] });
    const { result } = await runSession({
      settings: { tools: ['tool'], maxTurns: 3 },
      config: { providers: provider(server.url), mcpServers: { tool: mcpServer('faulty', 'changing') } },
    });
    const [first, second] = server.requests.map(({ body }) => names(body as Body));
    expect([first?.includes('tool__grown'), second?.includes('tool__grown')]).toEqual([false, true]);
    expect(JSON.stringify(result.conversation)).toContain('the new tool ran');
  });

  test.for(rowsOf(['native', 'xml-final', 'xml']))(
    'has its instructions sent to the model, but not in the system prompt of XML transports: %s',
    async (toolingTransport, { server, runSession }) => {
      server.mock.onMessage(/./u, { content: 'Done.' });
      await runSession({
        settings: { tools: ['tool'], maxTurns: 2, maxRetries: 1, toolingTransport },
        config: {
          providers: provider(server.url),
          mcpServers: { tool: mcpServer('faulty', 'instructions') },
        },
      });
      const [{ messages }] = server.requests.map(({ body }) => body as Body) as [Body];
      const holder = messages.find(({ content }) =>
        JSON.stringify(content).includes('Always call echo twice.'),
      );
      expect(holder?.role).toBe(toolingTransport === 'native' ? 'system' : 'user');
    },
  );

  test('with an invalid schema at its root is a schema error', async ({ server, runSession }) => {
    const { result } = await runSession({
      settings: { tools: ['tool'] },
      config: { providers: provider(server.url), mcpServers: { tool: mcpServer('faulty', 'broken-schema') } },
    });
    expect([result.errorKind, server.requests]).toEqual(['schema', []]);
    expect(result.error).toContain('invalid input schema');
  });

  test('runs in the folder of its configuration, with the variables next to it', async ({
    server,
    folder,
    runSession,
  }) => {
    server.mock.on({ predicate: (request) => results(request) > 0 }, { content: 'Done.' });
    const calls = ['tool__cwd', 'tool__environment'].map((name) => ({ name, arguments: '{}' }));
    server.mock.onMessage(/./u, { toolCalls: calls });
    folder.write('team/.ai-agent.json', {
      providers: provider(server.url),
      mcpServers: {
        tool: { ...mcpServer('faulty', 'changing'), env: { OWN: '${FROM_FILE}', SHARED: '${FROM_PROCESS}' } },
      },
    });
    folder.write('team/.ai-agent.env', 'FROM_FILE=next to the configuration\n');
    folder.write(
      'team/ask.ai',
      '---\ntools: tool\nmodels: p/any\nmaxTurns: 2\ntoolingTransport: native\n---\nAsk.',
    );
    const { result } = await runSession({
      promptFile: join(folder.path, 'team/ask.ai'),
      env: { PATH: process.env.PATH, HOME: folder.home, FROM_PROCESS: 'from the process' },
    });
    const [cwd, environment] = result.conversation.flatMap((message) =>
      message.role === 'tool' ? message.content : [],
    );
    expect(cwd).toBe(realpathSync(join(folder.path, 'team')));
    expect(JSON.parse(environment ?? '')).toMatchObject({
      OWN: 'next to the configuration',
      SHARED: 'from the process',
    });
  });
});

const provider = (url: string): { p: { type: 'openai-compatible'; baseUrl: string } } => ({
  p: { type: 'openai-compatible', baseUrl: `${url}/v1` },
});

describe.concurrent('a tool server over HTTP', () => {
  test('gets a DELETE for its session at the end', async ({ server, runSession, expect: check }) => {
    const http = await startHttpServer();
    server.mock.onMessage(/./u, { content: 'Done.' });
    await runSession({
      settings: { tools: ['tool'], maxTurns: 1 },
      config: { providers: provider(server.url), mcpServers: { tool: { type: 'http', url: http.url } } },
    });
    const ended = (): unknown[] =>
      http.requests.filter(({ method }) => method === 'DELETE').map(({ session }) => session);
    // The session does not wait long for the answer, so on a busy machine the request arrives after its end.
    await check.poll(ended, { timeout: 30_000 }).toEqual(['s-1']);
    http.close();
  });

  test('that answers 401 is explained, with the setting that is missing', async ({ server, runSession }) => {
    const http = await startHttpServer(401);
    const { result } = await runSession({
      settings: { tools: ['tool'] },
      config: { providers: provider(server.url), mcpServers: { tool: { type: 'http', url: http.url } } },
    });
    expect(result.errorKind).toBe('tools');
    expect(result.error).toContain('requires authorization (HTTP 401)');
    http.close();
  });
});

interface HttpServer {
  readonly url: string;
  readonly requests: { readonly method: string; readonly session: string | undefined }[];
  readonly close: () => void;
}

/** Starts a small MCP server over HTTP with one tool; with a status it answers every request with it. */
async function startHttpServer(status?: number): Promise<HttpServer> {
  const requests: HttpServer['requests'] = [];
  const server: Server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const session = request.headers['mcp-session-id'];
      requests.push({
        method: request.method ?? '',
        session: typeof session === 'string' ? session : undefined,
      });
      if (status !== undefined) {
        response.writeHead(status, { 'www-authenticate': 'Bearer' }).end('{"error":"invalid_token"}');
        return;
      }
      if (request.method !== 'POST') {
        response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
        return;
      }
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's-1' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method) }));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    close: () => server.close(),
  };
}

function answer(method: string): object {
  if (method === 'tools/list') return { tools: [{ name: 'one', inputSchema: { type: 'object' } }] };
  return {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'small', version: '1' },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

describe.concurrent('tools that exceed the context of every model', () => {
  const options = (url: string) => ({
    settings: {
      tools: ['tool'],
      maxTurns: 3,
      contextWindow: 700,
      contextWindowBufferTokens: 100,
      maxOutputTokens: 400,
    },
    config: { providers: provider(url), mcpServers: { tool: mcpServer('faulty') } },
  });

  test('are listed with their sizes before the final turn is forced', async ({ server, runSession }) => {
    server.mock.onMessage(/./u, { content: 'Without tools.' });
    const { warnings, result } = await runSession(options(server.url));
    expect(result.finalReport.content).toBe('Without tools.');
    expect(warnings[0]).toMatch(
      /The definitions of \d+ tools take \d+ tokens, but a request may have at most 200: \w+__\S+ \d+/u,
    );
    expect(warnings.findIndex((text) => text.includes('Forcing the final turn'))).toBe(1);
  });

  test('are refused when the caller asks for it', async ({ server, runSession }) => {
    const { result } = await runSession({ ...options(server.url), oversizedTools: 'refuse' });
    expect([result.errorKind, server.requests]).toEqual(['config', []]);
    expect(result.error).toContain('Select fewer tools');
  });
});
