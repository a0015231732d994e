import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { toolCallContext } from '../../../test/fixtures/tool-call-context.ts';
import { McpServer } from './mcp-server.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
}

/** Starts a tool server over HTTP whose sessions end: the call `n` of its list gets HTTP 404, and the next session continues the list. */
async function startServer(calls: (200 | 404)[]) {
  const methods: string[] = [];
  const answer = (method: string): object =>
    ({
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      },
      'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
    })[method] ?? { content: [{ type: 'text', text: 'gone' }] };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = JSON.parse(text) as Message;
      methods.push(method);
      if (id === undefined) return response.writeHead(202).end();
      const status = method === 'tools/call' ? (calls.shift() ?? 200) : 200;
      response.writeHead(status, {
        'content-type': 'application/json',
        'mcp-session-id': String(methods.length),
      });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method) }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const client = new McpServer(
    's',
    { type: 'http', url },
    { env: {}, cwd: '/', fetch: globalThis.fetch, version: '1', sleep: async () => {} },
  );
  const close = async (): Promise<void> => {
    await client.close();
    server.closeAllConnections();
    server.close();
  };
  return { client, methods, close };
}

it('a call for which the server has ended the session is made once more, in a new session', async () => {
  const { client, methods, close } = await startServer([200, 404, 200, 404, 404]);
  const context = toolCallContext(new AbortController().signal);
  try {
    const outcomes = [];
    for (let call = 0; call < 3; call += 1) outcomes.push(await client.call('go', {}, context));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
    const made = methods.filter((method) => method === 'initialize' || method === 'tools/call');
    expect(made.join(' ')).toBe(
      'initialize tools/call tools/call initialize tools/call tools/call initialize tools/call',
    );
  } finally {
    await close();
  }
});
