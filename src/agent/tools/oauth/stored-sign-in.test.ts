import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectMcp } from '../mcp-connection.ts';
import { createSignInStore, type SignInStore } from './sign-in-store.ts';

/** A tool server with its authorization server, which knows one refresh token. */
let server: Server;
let url = '';
let folder = '';
let store: SignInStore;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const { status, body, headers } = await answer(request);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  folder = mkdtempSync(join(tmpdir(), 'deed-sign-in-'));
  store = createSignInStore(folder);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const origin = new URL(url).origin;
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
    return { status: 200, body: { resource: url, authorization_servers: [origin] } };
  if (request.url?.startsWith('/.well-known/') === true)
    return {
      status: 200,
      body: {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      },
    };
  if (request.url === '/token') {
    const given = new URLSearchParams(text);
    seen.push(`${given.get('grant_type')} ${given.get('refresh_token')}`);
    if (given.get('refresh_token') !== 'r1') return { status: 400, body: { error: 'invalid_grant' } };
    return { status: 200, body: { access_token: 'fresh', token_type: 'Bearer', refresh_token: 'r2' } };
  }
  if (request.headers.authorization !== 'Bearer fresh')
    return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  const { id, method } = (text === '' ? {} : JSON.parse(text)) as { id?: number; method?: string };
  if (method !== 'initialize') return { status: request.method === 'GET' ? 405 : 202 };
  const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
  return { status: 200, body: { jsonrpc: '2.0', id, result } };
}

const connect = async (): Promise<void> => {
  const deps = { env: {}, cwd: '/', fetch, version: '1', signIns: store };
  const connection = await connectMcp('x', { url }, deps, new AbortController().signal);
  await connection.close();
};
const signIn = (refresh: string): void =>
  store.write({
    url,
    client: { client_id: 'c' },
    tokens: { access_token: 'old', token_type: 'Bearer', refresh_token: refresh },
  });

it('a sign-in is refreshed when the server no longer accepts its token, and the new token is stored', async () => {
  signIn('r1');
  await connect();
  expect(seen).toEqual(['refresh_token r1']);
  expect(store.read(url)?.tokens).toMatchObject({ access_token: 'fresh', refresh_token: 'r2' });
});

it('a damaged sign-in is reported with its file', async () => {
  signIn('r1');
  const file = join(folder, readdirSync(folder)[0] ?? '');
  writeFileSync(file, '{');
  await expect(connect()).rejects.toMatchObject({ code: 'E_DAMAGED', details: { path: file } });
});

it('a sign-in that cannot be refreshed asks the user to sign in again', async () => {
  signIn('revoked');
  await expect(connect()).rejects.toMatchObject({
    code: 'E_AUTH',
    hint: expect.stringContaining('deed agent login x') as string,
  });
});
