import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchBytes, type FetchContext } from './fetch-bytes.ts';

let server: Server;
let url = '';
let answer: (response: ServerResponse, headers: Record<string, unknown>) => void = (response) =>
  response.end();
beforeAll(async () => {
  server = createServer((request, response) => answer(response, request.headers));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
});
afterAll(() => server.close());

const context = (more: Partial<FetchContext> = {}): FetchContext => ({
  fetch,
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  now: Date.now,
  ...more,
});

test('the bytes are returned unchanged, without a content encoding', async () => {
  let encoding: unknown;
  answer = (response, headers) => {
    encoding = headers['accept-encoding'];
    response.end(gzipSync('archive'));
  };
  expect(await fetchBytes(url, 1000, context())).toEqual(gzipSync('archive'));
  expect(encoding).toBe('identity');
});

test('a body over the limit is rejected, with or without a content length', async () => {
  answer = (response) => response.writeHead(200, { 'content-length': 2000 }).end('x'.repeat(2000));
  await expect(fetchBytes(url, 1000, context())).rejects.toMatchObject({
    code: 'E_INTEGRITY',
    details: { max_bytes: 1000 },
  });
  answer = (response) => {
    response.write('x'.repeat(600));
    response.end('x'.repeat(600));
  };
  await expect(fetchBytes(url, 1000, context())).rejects.toMatchObject({ code: 'E_INTEGRITY' });
});

test('a slow server that keeps sending is not a timeout', async () => {
  answer = (response) => {
    let left = 8;
    const timer = setInterval(() => {
      response.write('x');
      if ((left -= 1) > 0) return;
      clearInterval(timer);
      response.end();
    }, 300);
  };
  // Less than the whole response takes, but much more than the time between two chunks, even on a busy machine.
  expect((await fetchBytes(url, 1000, context({ timeoutMs: 2000 }))).length).toBe(8);
});

test('a remote server cannot redirect to loopback', async () => {
  const redirect = async (): Promise<Response> =>
    new Response(null, { status: 302, headers: { location: url } });
  await expect(
    fetchBytes('https://releases.example/file', 1000, context({ fetch: redirect })),
  ).rejects.toMatchObject({
    code: 'E_CONFIG',
  });
});

test('a truncated body is detected on a runtime that does not report it', async () => {
  const truncated = async (): Promise<Response> =>
    new Response('half', { headers: { 'content-length': '8' } });
  await expect(fetchBytes(url, 1000, context({ fetch: truncated }))).rejects.toMatchObject({
    code: 'E_NETWORK',
    details: { received: 4, announced: 8 },
  });
});
