import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileRequests } from '../fixtures/hostile-requests.ts';
import { createHome, deed } from '../fixtures/run-deed.ts';
import {
  callWeb,
  ownHeaders,
  send,
  signIn,
  startWeb,
  startWebAtTerminal,
  type WebServer,
} from '../fixtures/web-server.ts';

const LIST = { command: 'work list', parameters: { limit: 1 } };

describe('deed web', () => {
  const home = createHome();
  let server: WebServer;
  let cookie = '';
  beforeAll(async () => {
    server = await startWeb({
      home: home.path,
      cwd: home.path,
      flags: ['--port', '0', '--address', '127.0.0.1'],
    });
    cookie = await signIn(server);
  });
  afterAll(async () => {
    await server.stop();
    home.dispose();
  });
  const post = (path: string, headers: Record<string, string>, body: unknown = LIST) =>
    send(server, path, { headers, body });

  it('serves a signed-in browser', async () => {
    expect(await callWeb(server, cookie, LIST)).toMatchObject({ ok: true, data: { items: [] } });
    const session = await send(server, '/api/session', { headers: { cookie } });
    expect(JSON.parse(session.body)).toMatchObject({ read_only: false, can_decide: false });
  });

  it('accepts a link once, and only its secret', async () => {
    const used = new URL(server.link()).hash.slice(1);
    const first = await post('/api/sign-in', ownHeaders(server), { secret: used });
    expect(first.status).toBe(200);
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^deed_session_${server.port}=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict$`, 'u'),
      ),
    ]);
    const second = await post('/api/sign-in', ownHeaders(server), { secret: used });
    expect([second.status, second.headers['set-cookie']]).toEqual([401, undefined]);
    expect(server.link()).not.toContain(used);
  });

  it('does not use up a link that is only opened', async () => {
    const link = server.link();
    expect((await send(server, new URL(link).pathname)).status).toBe(200);
    expect(server.link()).toBe(link);
  });

  it.each([
    ['without a cookie', () => ({}), 401],
    ['with a guessed cookie', () => ({ cookie: `deed_session_${server.port}=${'0'.repeat(64)}` }), 401],
    ['of a name that resolves to loopback', () => ({ cookie, host: `evil.example:${server.port}` }), 421],
    ['for another port', () => ({ cookie, host: '127.0.0.1:1' }), 421],
    ['without a port', () => ({ cookie, host: '127.0.0.1' }), 421],
    ['of another origin', () => ({ cookie, origin: 'https://evil.example' }), 403],
    ['of a page on another port', () => ({ cookie, origin: 'http://127.0.0.1:1' }), 403],
    ['of an opaque origin', () => ({ cookie, origin: 'null' }), 403],
    ['of another site', () => ({ cookie, 'sec-fetch-site': 'cross-site' }), 403],
    ['of the same site on another port', () => ({ cookie, 'sec-fetch-site': 'same-site' }), 403],
    ['that a form can send', () => ({ cookie, 'content-type': 'text/plain' }), 415],
  ])('refuses a call %s', async (_what, headers: () => Record<string, string>, status) => {
    const answer = await post('/api/call', { ...ownHeaders(server), ...headers() });
    expect([answer.status, answer.body.includes('items')]).toEqual([status, false]);
  });

  it('refuses a call without an origin, an unknown path and other methods', async () => {
    const { origin: _, ...headers } = ownHeaders(server);
    expect((await post('/api/call', { ...headers, cookie })).status).toBe(403);
    expect((await post('/api/nothing', { ...ownHeaders(server), cookie })).status).toBe(404);
    expect((await send(server, '/api/call', { method: 'PUT', headers: { cookie } })).status).toBe(405);
    expect((await send(server, '/api/call', { headers: { cookie } })).status).toBe(404);
  });

  it('lets another site open a page, without data, and nothing else', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const page = await send(server, '/inbox', { headers: link });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8']);
    expect((await send(server, '/api/session')).body).toBe('null');
    for (const path of ['/api/session', '/api/events'])
      expect((await send(server, path, { headers: { ...link, cookie } })).status).toBe(403);
    const frame = { ...link, 'sec-fetch-dest': 'iframe' };
    expect((await send(server, '/', { headers: frame })).status).toBe(403);
  });

  it.each([
    ['with two hosts', '/', 'Host: evil.example\r\n'],
    ['that names another server in its first line', 'http://evil.example/', ''],
  ])('refuses a request %s', async (_what, target, header) => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.once('data', (chunk) => {
        socket.destroy();
        resolve(chunk.toString('latin1'));
      });
      socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${header}\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /u);
  });

  it('survives every request line, header and body', async () => {
    const sockets = hostileRequests('none').map((bytes) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
      socket.write(bytes);
      return socket;
    });
    await sleep(500);
    for (const socket of sockets) socket.destroy();
    expect((await callWeb(server, cookie, LIST)).ok).toBe(true);
  });

  it('sends a policy that allows no inline script, no other server and no HTML from text', async () => {
    for (const path of ['/', '/api/session', '/assets/nothing.js', '/nothing']) {
      const { headers } = await send(server, path);
      const policy = headers['content-security-policy'];
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
    const { body } = await send(server, '/');
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|<style|https?:/u);
  });

  it('serves its files compressed, with names that change with their content', async () => {
    const [script = ''] = /\/assets\/main-[^"]+/u.exec((await send(server, '/')).body) ?? [];
    const { headers } = await send(server, script, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const again = await send(server, script, { headers: { 'if-none-match': headers.etag ?? '' } });
    expect([again.status, again.body]).toEqual([304, '']);
    expect((await send(server, '/assets/__proto__')).status).toBe(404);
  });

  it.each([
    ['a command that the pages do not use', { command: 'config list' }, 'E_NOT_FOUND'],
    ['a command that starts programs', { command: 'loop' }, 'E_NOT_FOUND'],
    ['a plan file', { command: 'work run', parameters: { file: '/etc/passwd' } }, 'E_VALIDATION'],
    ['a file to verify', { command: 'receipt verify', parameters: { file: '/etc/passwd' } }, 'E_VALIDATION'],
    ['an unknown member', { command: 'work list', format: 'raw' }, 'E_VALIDATION'],
    ['a write without a token', { command: 'work cancel', parameters: { id: 'job_0' } }, 'E_NOT_FOUND'],
    [
      'a request id instead of a token where there are no retries',
      { command: 'triage protect add', parameters: { name: 'sleep' }, request_id: 'r1' },
      'E_CONFIRMATION_REQUIRED',
    ],
    [
      'a write to the journal without a request id',
      { command: 'task create', parameters: { title: 'x' } },
      'E_CONFIRMATION_REQUIRED',
    ],
    ['a database of its own', { command: 'task list', parameters: { db_path: '/tmp/x.db' } }, 'E_VALIDATION'],
  ])('refuses %s', async (_what, call, code) => {
    expect((await callWeb(server, cookie, call)).error?.code).toBe(code);
  });

  it('refuses parameters that are nested deeper than a recursive function survives', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const answer = await fetch(`${server.url}/api/call`, {
      method: 'POST',
      headers: { ...ownHeaders(server), cookie },
      body: `{"command":"work list","parameters":{"limit":${nested}}}`,
    });
    expect(await answer.json()).toMatchObject({ error: { code: 'E_VALIDATION' } });
  });

  it('checks each of several calls over one connection like a single one', async () => {
    const follow = (headers: Record<string, string>, calls: readonly object[]) =>
      post('/api/follow', { ...ownHeaders(server), ...headers }, { calls });
    expect((await follow({}, [LIST])).status).toBe(401);
    expect((await follow({ cookie, origin: 'https://evil.example' }, [LIST])).status).toBe(403);
    for (const calls of [[], Array.from({ length: 21 }, () => LIST)])
      expect((await follow({ cookie }, calls)).status).toBe(400);
    const write = { command: 'task create', parameters: { title: 'x' } };
    const { body } = await follow({ cookie }, [write, { command: 'config list' }, LIST]);
    const replies = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { call: number; ok: boolean; error?: { code: string } })
      .toSorted((a, b) => a.call - b.call);
    expect(replies.map(({ call, ok, error }) => [call, ok, error?.code])).toEqual([
      [0, false, 'E_CONFIRMATION_REQUIRED'],
      [1, false, 'E_NOT_FOUND'],
      [2, true, undefined],
    ]);
  });

  it('refuses a body that is too long', async () => {
    const answer = await post(
      '/api/call',
      { ...ownHeaders(server), cookie },
      { command: 'x'.repeat(2_000_000) },
    );
    expect(answer.status).toBe(413);
  });

  it('forgets a browser that signs out', async () => {
    const other = await signIn(server);
    expect((await post('/api/sign-out', { ...ownHeaders(server), cookie: other })).status).toBe(200);
    expect((await post('/api/call', { ...ownHeaders(server), cookie: other })).status).toBe(401);
    expect((await callWeb(server, cookie, LIST)).ok).toBe(true);
  });

  it('ends what an open page receives when its browser signs out', async () => {
    const other = await signIn(server);
    const headers = { ...ownHeaders(server), cookie: other };
    const events = await fetch(`${server.url}/api/events`, {
      headers: { cookie: other },
      signal: AbortSignal.timeout(8000),
    });
    const ended = events.text();
    const started = performance.now();
    expect((await post('/api/sign-out', headers)).status).toBe(200);
    const call = { command: 'task create', parameters: { title: 'After the end' }, request_id: 'after' };
    const { data } = await callWeb(server, cookie, call);
    const text = await ended;
    expect(performance.now() - started).toBeLessThan(4000);
    expect(text).toContain('event: ready');
    expect(text).not.toContain(data.task.id);
  });

  it('records each call in the audit log, and no secret anywhere', async () => {
    await callWeb(server, cookie, LIST);
    const secrets = [new URL(server.link()).hash.slice(1), cookie.split('=')[1] ?? 'none'];
    const files = globSync(join(home.path, '{audit,requests,consumed}/**/*')).filter((path) =>
      statSync(path).isFile(),
    );
    const text = files.map((path) => readFileSync(path, 'utf8')).join('\n');
    expect(text).toContain('"command":"work list"');
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  // Last: it blocks sign-in for a minute.
  it('limits attempts to sign in', async () => {
    const guess = () => post('/api/sign-in', ownHeaders(server), { secret: 'f'.repeat(64) });
    const answers = [];
    for (let attempt = 0; attempt < 12; attempt += 1) answers.push(await guess());
    expect(answers.at(-1)?.status).toBe(429);
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
    const right = await post('/api/sign-in', ownHeaders(server), {
      secret: new URL(server.link()).hash.slice(1),
    });
    expect(right.status).toBe(429);
  });
});

describe('the link of deed web', () => {
  it('is in a private file without a terminal, and never in the output', async () => {
    const home = createHome();
    const file = join(home.path, 'link.json');
    const server = await startWeb({
      home: home.path,
      cwd: home.path,
      flags: ['--link-file', file, '--read-only'],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = new URL(server.link()).hash.slice(1);
    const cookie = await signIn(server);
    const write = { command: 'work cancel', parameters: { id: 'job_6a2x74g09zy4f' }, dry_run: true };
    expect((await callWeb(server, cookie, write)).error).toMatchObject({
      code: 'E_FORBIDDEN',
      details: { read_only: true },
    });
    const run = await server.stop();
    expect(run.envelope.error?.code).toBe('E_INTERRUPTED');
    expect(run.stdout + run.stderr).not.toContain(secret);
    expect(run.stderr).toContain(`the sign-in link is in ${file}`);
    expect(existsSync(file)).toBe(false);
    home.dispose();
  });

  it('is not announced in a file that cannot be written', () => {
    const home = createHome();
    const file = join(home.path, 'missing/link.json');
    const run = deed(['web', '--port', '0', '--link-file', file], { home: home.path });
    expect(run.envelope.error).toMatchObject({ code: 'E_IO', details: { path: file } });
    expect(run.stderr).not.toContain('the sign-in link is in');
    home.dispose();
  });

  it('replaces a symlink instead of following it', async () => {
    const home = createHome();
    const [file, victim] = [join(home.path, 'link.json'), join(home.path, 'victim')];
    writeFileSync(victim, 'unchanged');
    symlinkSync(victim, file);
    const server = await startWeb({ home: home.path, cwd: home.path, flags: ['--link-file', file] });
    expect([lstatSync(file).isFile(), readFileSync(victim, 'utf8')]).toEqual([true, 'unchanged']);
    await server.stop();
    home.dispose();
  });

  it.skipIf(process.platform !== 'linux')('is shown on a terminal, and in no file', async () => {
    const home = createHome();
    const server = await startWebAtTerminal({ home: home.path, cwd: home.path });
    const [file = ''] = globSync(join(home.path, 'web/*.json'));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      url: server.url,
      pid: expect.any(Number),
      started_at: expect.any(String),
      space: expect.any(String),
    });
    const cookie = await signIn(server);
    const session = await send(server, '/api/session', { headers: { cookie } });
    expect(JSON.parse(session.body)).toMatchObject({ can_decide: true });
    await server.stop();
    expect(existsSync(file)).toBe(false);
    home.dispose();
  });

  it.skipIf(process.platform !== 'linux')('that an agent started does not make it a person', async () => {
    const home = createHome();
    const env = { CLAUDECODE: '1' };
    const server = await startWebAtTerminal({ home: home.path, cwd: home.path, env });
    const session = await send(server, '/api/session', { headers: { cookie: await signIn(server) } });
    expect(JSON.parse(session.body)).toMatchObject({ can_decide: false });
    await server.stop();
    home.dispose();
  });

  it('is not served on another address', () => {
    expect(deed(['web', '--address', '0.0.0.0']).envelope.error).toMatchObject({
      code: 'E_FORBIDDEN',
      details: { field: 'address', allowed: ['127.0.0.1'] },
    });
  });
});

describe('deed web for two people', () => {
  it('slows down a browser that calls without a pause or opens too much, and no other', async () => {
    const home = createHome();
    const server = await startWeb({ home: home.path, cwd: home.path, flags: ['--people', 'alice,bob'] });
    const open = new AbortController();
    const listen = async (cookie: string): Promise<number> =>
      (await fetch(`${server.url}/api/events`, { headers: { cookie }, signal: open.signal })).status;
    try {
      const alice = await signIn(server, 'alice');
      const opened = await Promise.all(Array.from({ length: 110 }, () => listen(alice)));
      expect(opened.filter((status) => status === 200)).toHaveLength(100);
      expect(await listen(await signIn(server, 'bob'))).toBe(200);
      const headers = { ...ownHeaders(server), cookie: await signIn(server, 'alice') };
      // Calls without a command are answered at once, so that a busy machine is fast enough for the limit too.
      const call = () => send(server, '/api/call', { headers, body: {} });
      expect((await call()).status).toBe(200);
      const answers = await Promise.all(Array.from({ length: 310 }, call));
      expect(answers.some(({ status }) => status === 429)).toBe(true);
      expect((await callWeb(server, await signIn(server, 'bob'), LIST)).ok).toBe(true);
    } finally {
      open.abort();
      await server.stop();
      home.dispose();
    }
  });
});

describe('deed web with TLS and people', () => {
  const home = createHome();
  const [cert, key] = [join(home.path, 'cert.pem'), join(home.path, 'key.pem')];
  let server: WebServer;
  beforeAll(async () => {
    const names = 'subjectAltName=IP:127.0.0.1,DNS:deed.example';
    const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=deed', '-addext', names];
    execFileSync('openssl', [...self, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    server = await startWeb({
      home: home.path,
      cwd: home.path,
      flags: ['--address', '0.0.0.0', '--tls-cert', cert, '--tls-key', key, '--people', 'alice,bob'],
    });
  });
  afterAll(async () => {
    await server.stop();
    home.dispose();
  });

  it('gives each person a link, and their name to what they do', async () => {
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    const used = new URL(server.link('bob')).hash.slice(1);
    const cookie = await signIn(server, 'bob');
    expect(server.link('bob')).not.toContain(used);
    const session = await send(server, '/api/session', { headers: { cookie } });
    expect(JSON.parse(session.body)).toMatchObject({ user: 'bob' });
    const call = { command: 'task create', parameters: { title: 'Of bob' }, request_id: 'b1' };
    const created = await callWeb(server, cookie, call);
    expect(created).toMatchObject({ ok: true });
    const again = await callWeb(server, cookie, call);
    expect(again.data).toMatchObject({ task: { id: created.data.task.id }, replayed: true });
    const { items } = deed(['audit', 'list', '--command', 'task create'], { home: home.path }).envelope.data;
    expect(items[0]).toMatchObject({ account: { user: 'bob' }, agent: null });
    const events = deed(['events', 'list', '--all'], { home: home.path }).envelope.data.items;
    expect(events[0]).toMatchObject({ agent_name: 'user:bob' });
  });

  it('sends cookies only over TLS, and answers only to the names of its certificate', async () => {
    const headers = ownHeaders(server);
    const secret = new URL(server.link('alice')).hash.slice(1);
    const answer = await send(server, '/api/sign-in', { headers, body: { secret } });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure/u);
    const named = { host: `deed.example:${server.port}`, 'sec-fetch-site': 'same-origin' };
    expect((await send(server, '/api/session', { headers: named })).status).toBe(200);
    for (const host of [`localhost:${server.port}`, `evil.example:${server.port}`, '127.0.0.1'])
      expect((await send(server, '/api/session', { headers: { host } })).status).toBe(421);
    const foreign = { ...headers, origin: `http://127.0.0.1:${server.port}` };
    expect((await send(server, '/api/sign-in', { headers: foreign, body: { secret } })).status).toBe(403);
    const plain = { ...server, url: `http://127.0.0.1:${server.port}` };
    await expect(send(plain, '/')).rejects.toThrow(/hang up|ECONNRESET|Parse Error/u);
  });

  it.each([
    [['--tls-cert', cert, '--tls-key', key], 'E_FORBIDDEN'],
    [['--people', 'alice'], 'E_FORBIDDEN'],
    [['--tls-cert', cert, '--people', 'alice'], 'E_USAGE'],
    [['--tls-cert', `${cert}.missing`, '--tls-key', key, '--people', 'alice'], 'E_CONFIG'],
    [['--tls-cert', key, '--tls-key', key, '--people', 'alice'], 'E_CONFIG'],
    [['--tls-cert', cert, '--tls-key', key, '--people', 'user:alice'], 'E_VALIDATION'],
  ])('refuses another address with %j', (flags, code) => {
    const run = deed(['web', '--address', '0.0.0.0', ...flags], { home: home.path });
    expect(run.envelope.error?.code).toBe(code);
  });
});
