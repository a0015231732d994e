import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fuzz, FUZZ_TIMEOUT } from '../fixtures/fuzz.ts';
import { hostileRequests } from '../fixtures/hostile-requests.ts';
import { startHttp, type HttpServer } from '../fixtures/mcp-client.ts';
import { createHome, deed, executable } from '../fixtures/run-deed.ts';

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

async function ping(server: HttpServer): Promise<number> {
  return (await post(server, BODY)).status;
}

async function post({ url, token }: HttpServer, body: string): Promise<{ status: number; text: string }> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

/** Sends bytes and waits until the server closes the connection, or for a moment: some requests have no end. */
/** How long a busy server may take to answer; a hostile request may have no answer at all. */
const ANSWER_MS = 30_000;

async function send(server: HttpServer, bytes: Buffer, waitMs = 50): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let answer = '';
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      resolve();
    });
    socket.on('close', () => resolve()).on('error', () => resolve());
  });
  socket.write(bytes);
  await Promise.race([ended, sleep(waitMs)]);
  socket.destroy();
  return answer;
}

describe('an HTTP server that gets hostile requests', () => {
  const home = createHome();
  let server: HttpServer;
  beforeAll(async () => {
    server = await startHttp(home.path, home.path);
  });
  afterAll(async () => {
    await server.stop();
    home.dispose();
  });

  it('answers // with 404 and continues', async () => {
    const answer = await send(server, Buffer.from('GET // HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'), ANSWER_MS);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
    expect(await ping(server)).toBe(200);
  });

  it('refuses a request with two hosts', async () => {
    const hosts = 'Host: 127.0.0.1\r\nHost: example.test';
    const request = `POST /mcp HTTP/1.1\r\n${hosts}\r\nAuthorization: Bearer ${server.token}\r\nContent-Length: 0\r\n\r\n`;
    expect(await send(server, Buffer.from(request), ANSWER_MS)).toMatch(/^HTTP\/1\.1 400 /u);
  });

  it('answers invalid parameters in one sentence', async () => {
    const params = { protocolVersion: null, capabilities: {}, clientInfo: { name: 'http', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const { text } = await post(server, body);
    expect(text).toContain('-32602');
    expect(text).toContain('params.protocolVersion: expected string, received null.');
  });

  it('survives every request line, header and body', FUZZ_TIMEOUT, async () => {
    const corpus = hostileRequests(server.token);
    const tried = await fuzz({
      corpus,
      rounds: 60,
      check: async (request) => {
        await send(server, request);
        if ((await ping(server)) !== 200) throw new Error('The server does not answer.');
      },
    });
    expect(tried).toBeGreaterThan(corpus.length);
  });

  it('disconnects a client that does not finish its headers', { timeout: 60_000 }, async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    await new Promise((resolve) => socket.on('close', resolve).resume());
    expect(await ping(server)).toBe(200);
  });

  it('refuses a body above its limit', async () => {
    const length = 64 * 1024 * 1024;
    const line = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\nContent-Length: ${length}\r\n\r\n`;
    expect(await send(server, Buffer.from(line), ANSWER_MS)).toMatch(/^HTTP\/1\.1 413 /u);
  });
});

describe('the connection file', () => {
  let home: ReturnType<typeof createHome>;
  beforeEach(() => {
    home = createHome();
  });
  afterEach(() => home.dispose());

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('is removed after %s', async (signal) => {
    const server = await startHttp(home.path, home.path);
    const { code } = await server.stop(signal);
    expect([code, existsSync(join(home.path, 'connection.json'))]).toEqual([130, false]);
  });

  it('is removed if the server is interrupted twice', async () => {
    const server = await startHttp(home.path, home.path);
    void server.stop('SIGINT');
    await server.stop('SIGINT');
    expect(existsSync(join(home.path, 'connection.json'))).toBe(false);
  });

  it('of a killed server is removed by the next one', async () => {
    const first = await startHttp(home.path, home.path, 'in the home');
    await first.stop('SIGKILL');
    const folder = join(home.path, 'mcp');
    expect(readdirSync(folder)).toHaveLength(1);
    mkdirSync(join(folder, 'http-other.json'));
    writeFileSync(join(folder, 'http-1.json'), '{"url":"http://127.0.0.1:1/mcp","token":"t","pid":1}');
    const second = await startHttp(home.path, home.path, 'in the home');
    const kept = readdirSync(folder);
    await second.stop();
    expect(kept).toHaveLength(3);
    expect(readdirSync(folder)).toEqual(['http-1.json', 'http-other.json']);
  });
});

describe('DEED_MCP_TOKEN', () => {
  it.each(['x', 'choose-a-long-one', 'spaces are not valid in a bearer token', 'a'.repeat(31)])(
    'is refused if it can be guessed or sent wrongly: %s',
    (token) => {
      // A server with an accepted token would not end by itself.
      const bounded = ['timeout', '5', ...executable()];
      const argv = ['mcp', 'serve', '--transport', 'http'];
      const run = deed(argv, { executable: bounded, env: { DEED_MCP_TOKEN: token } });
      expect([run.code, run.envelope.error]).toMatchObject([
        4,
        { code: 'E_CONFIG', details: { field: 'DEED_MCP_TOKEN' } },
      ]);
      expect(run.stdout).not.toContain(token === 'x' ? ' x ' : token);
    },
  );
});
