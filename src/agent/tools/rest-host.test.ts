import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { toolCallContext } from '../../../test/fixtures/tool-call-context.ts';
import type { RestToolSettings } from '../config/config-schema.ts';
import type { ToolOutcome } from '../tool-host.ts';
import { createRestHost } from './rest-host.ts';

const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (url.startsWith('/missing')) response.writeHead(404).end('no such thing');
    else if (url.startsWith('/away')) response.writeHead(302, { location: '/landed' }).end();
    else if (url.startsWith('/hang')) return;
    else if (url.startsWith('/charset/')) {
      const type = `text/plain; charset=${decodeURIComponent(url.slice('/charset/'.length))}`;
      response.writeHead(200, { 'content-type': type }).end(Buffer.from('636166e9', 'hex'));
    } else response.end('{"ok":true}');
  });
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function call(
  settings: Partial<RestToolSettings>,
  args: JsonObject,
  signal = new AbortController().signal,
): Promise<ToolOutcome> {
  seen.length = 0;
  const tool = {
    description: 'd',
    method: 'GET',
    ...settings,
    url: `${base}${settings.url ?? '/'}`,
  } as const;
  const host = createRestHost({ thing: tool }, globalThis.fetch);
  return host.call('rest__thing', args, toolCallContext(signal));
}

describe('a REST tool', () => {
  it('fills its URL with encoded values', async () => {
    const outcome = await call(
      { url: '/users/${parameters.id}?q=${parameters.query.text}' },
      { id: 'a/b?c#d', query: { text: 'x&y=1' } },
    );
    expect(outcome).toEqual({ ok: true, text: '{"ok":true}' });
    expect(seen.map(({ url }) => url)).toEqual(['/users/a%2Fb%3Fc%23d?q=x%26y%3D1']);
  });

  it.each([
    ['..', 'is not a valid path segment'],
    [null, 'is missing'],
  ])('rejects %s in a path without sending a request', async (id, problem) => {
    expect(await call({ url: '/users/${parameters.id}/delete' }, { id })).toEqual({
      ok: false,
      reason: `parameter id ${problem}`,
    });
    expect(seen).toEqual([]);
  });

  it('fills its body with typed values, and placeholders inside a string as text', async () => {
    await call(
      {
        method: 'POST',
        bodyTemplate: {
          count: '${parameters.n}',
          tags: '${parameters.tags}',
          note: 'for ${parameters.who}',
          gone: '${parameters.no}',
        },
      },
      { n: 3, tags: ['a'], who: '"}, evil: {"' },
    );
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ count: 3, tags: ['a'], note: 'for "}, evil: {"' });
    expect(seen[0]?.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['iso-8859-1', 'café'],
    ['"Windows-1252"', 'café'],
    ['unknown', 'caf\uFFFD'],
    ['utf-8', 'caf\uFFFD'],
  ])('is decoded in the charset %s that it declares', async (charset, text) => {
    const url = `/charset/${encodeURIComponent(charset)}`;
    expect(await call({ url }, {})).toEqual({ ok: true, text });
  });

  it('rejects a line break in a header', async () => {
    expect(await call({ headers: { 'x-name': '${parameters.name}' } }, { name: 'a\r\nx-evil: 1' })).toEqual({
      ok: false,
      reason: 'parameter header contains a line break',
    });
    await call({ headers: { 'x-name': 'Ada ${parameters.name}' } }, { name: 'L' });
    expect(seen[0]?.headers['x-name']).toBe('Ada L');
  });

  it('fails with a reason for an HTTP error, a redirect and a timeout', async () => {
    expect(await call({ url: '/missing' }, {})).toEqual({ ok: false, reason: 'HTTP 404: no such thing' });
    expect(await call({ url: '/away' }, {})).toEqual({
      ok: false,
      reason: expect.stringMatching(/^HTTP \d+: it redirects to http.*, which is not followed; /u),
    });
    expect(seen.map(({ url }) => url)).toEqual(['/away']);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('timeout')), 100);
    expect((await call({ url: '/hang' }, {}, controller.signal)).ok).toBe(false);
  });

  it('is listed with its schema, queue and limits', () => {
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    const host = createRestHost(
      {
        find: {
          description: 'Finds',
          method: 'GET',
          url: 'http://x/',
          parametersSchema: schema,
          queue: 'q',
          timeoutMs: 5,
        },
      },
      globalThis.fetch,
    );
    expect(host.listTools()).toEqual([
      {
        name: 'rest__find',
        description: 'Finds',
        inputSchema: schema,
        repeatable: true,
        origin: { kind: 'rest', server: 'rest' },
        queue: 'q',
        timeoutMs: 5,
      },
    ]);
  });
});
