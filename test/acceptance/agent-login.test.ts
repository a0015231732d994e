import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInStore } from '../../src/agent/tools/oauth/sign-in-store.ts';
import { startHttpProxy } from '../fixtures/http-proxy.ts';
import { createAgentFolder, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { deedAsync, executable, ROOT, testEnvironment, waitFor, type Run } from '../fixtures/run-deed.ts';
import { deedHere } from '../fixtures/run-here.ts';

/** Signing in to the OAuth server of the SDK's examples, which registers clients dynamically and requires PKCE. */
const EXAMPLE = join(
  ROOT,
  'node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js',
);
/** The address of the server that only a proxy resolves. */
const PROXIED = 'http://tools.test';
let folder: AgentFolder;
let server: ChildProcess;
let url = '';
let authOrigin = '';

beforeAll(async () => {
  folder = createAgentFolder();
  const [port, authPort] = [await freePort(), await freePort()];
  server = spawn(process.execPath, [EXAMPLE, '--oauth'], {
    env: { PATH: process.env.PATH, MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise<void>((resolve) => {
    server.stdout?.on('data', (text: Buffer) => {
      if (text.includes('MCP Streamable HTTP Server listening')) resolve();
    });
  });
  url = `http://localhost:${port}/mcp`;
  authOrigin = `http://localhost:${authPort}`;
  folder.write('agent.json', {
    mcpServers: {
      example: { url },
      proxied: { url: `${PROXIED}/mcp` },
      tunnelled: { url: 'https://tools.test/mcp' },
      closed: { url: `http://127.0.0.1:${await freePort()}/mcp` },
      local: { command: 'true' },
    },
  });
});
afterAll(() => {
  server.kill();
  folder.dispose();
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}

const options = (): { home: string; cwd: string } => ({ home: folder.home, cwd: folder.path });
const config = ['--config', 'agent.json'];
const listTools = (): Promise<Run> =>
  deedHere(['agent', 'tools', '--tools', 'example', ...config], options());
const tokenFile = (): string => {
  const signIns = join(folder.home, 'sign-ins');
  return join(signIns, readdirSync(signIns)[0] ?? '');
};

/** A tool server that accepts no token; its authorization server refuses to renew one. */
async function startRefusingServer(error: string): Promise<{ url: string; close: () => void }> {
  const refusing = createHttpServer(({ url: path = '' }, response) => {
    const origin = `http://localhost:${(refusing.address() as AddressInfo).port}`;
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (path === '/mcp') answer(401, { error: 'invalid_token' });
    else if (path === '/token') answer(400, { error });
    else if (path.includes('protected-resource'))
      answer(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    else
      answer(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
  });
  await once(refusing.listen(0, 'localhost'), 'listening');
  const { port } = refusing.address() as AddressInfo;
  return { url: `http://localhost:${port}/mcp`, close: () => void refusing.close() };
}

/** Starts a sign-in; `visit` gets the address that it prints. */
async function login(
  visit: (address: string, child: ChildProcess) => Promise<void>,
  name = 'example',
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const argv = ['agent', 'login', name, ...config];
  const preview = await deedHere([...argv, '--dry-run'], options());
  const token = String(preview.envelope.data.confirm_token);
  const [command, ...first] = executable('deed');
  const child = spawn(command, [...first, ...argv, '--confirm', token], {
    cwd: folder.path,
    env: testEnvironment({ ...options(), env }),
  });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => {
    stderr += text.toString();
    const address = /in a browser on this machine: (\S+)\n/u.exec(stderr)?.[1];
    if (address === undefined) return;
    stderr = '';
    void visit(address, child);
  });
  return waitFor(child);
}

describe.sequential('a tool server that requires OAuth', () => {
  it('fails with the command that signs in, before that', async () => {
    const { envelope } = await listTools();
    expect(envelope.error).toMatchObject({
      code: 'E_AUTH',
      details: {
        server: 'example',
        status: 401,
        hint: expect.stringContaining('deed agent login example') as string,
      },
    });
  });

  it('is not signed in to when the command is interrupted, or the answer is another one', async () => {
    const run = await login(async (address, child) => {
      const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
      const answer = await fetch(`${redirect.href}?code=x&state=other`);
      expect(answer.status).toBe(404);
      child.kill('SIGINT');
    });
    expect([run.code, run.envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
    expect((await listTools()).envelope.error?.code).toBe('E_AUTH');
  });

  it('is signed in to with a person’s consent, and its tools can be used afterwards', async () => {
    const run = await login(async (address) => {
      expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256');
      // The server of the example consents at once and redirects to the terminal.
      await fetch(address);
    });
    expect(run.envelope).toMatchObject({ ok: true, data: { server: 'example', url } });
    const { envelope } = await listTools();
    expect(envelope.data.items.map(({ name }: { name: string }) => name)).toContain('example__greet');
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
  });

  it.each(['invalid_grant', 'access_denied'])(
    'fails with the command that signs in when the sign-in is refused with %s',
    async (error) => {
      const refusing = await startRefusingServer(error);
      folder.write('refusing.json', { mcpServers: { refusing: { url: refusing.url } } });
      createSignInStore(join(folder.home, 'sign-ins')).write({
        url: refusing.url,
        client: { client_id: 'deed' },
        tokens: { access_token: 'revoked', token_type: 'bearer', refresh_token: 'revoked' },
      });
      const argv = ['agent', 'tools', '--tools', 'refusing', '--config', 'refusing.json'];
      const { envelope } = await deedAsync(argv, options());
      expect(envelope.error).toMatchObject({
        code: 'E_AUTH',
        details: { hint: expect.stringContaining('deed agent login refusing') as string },
      });
      refusing.close();
    },
  );

  it('behind a proxy is signed in to and used through the proxy', async () => {
    // Names on loopback are never sent to a proxy, so the server has another one there.
    const own = new URL(url).origin;
    const rename = (text: string): string => text.replaceAll(own, PROXIED);
    const proxy = await startHttpProxy({ 'tools.test': own }, { rename });
    const env = { HTTP_PROXY: proxy.url };
    const run = await login(async (address) => void (await fetch(address)), 'proxied', env);
    expect(run.envelope).toMatchObject({ ok: true, data: { server: 'proxied' } });
    const argv = ['agent', 'tools', '--tools', 'proxied', ...config];
    const { envelope } = await deedAsync(argv, { ...options(), env });
    expect(envelope.data.items.map(({ name }: { name: string }) => name)).toContain('proxied__greet');
    expect(proxy.requests).toContain(`GET ${PROXIED}/.well-known/oauth-protected-resource/mcp`);
    expect(proxy.requests).toContain(`POST ${PROXIED}/mcp`);
    await proxy.close();
  });

  it('with HTTPS is signed in to and used through the tunnels of a proxy', async () => {
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    const names = 'subjectAltName=DNS:tools.test,DNS:auth.test';
    const self = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=deed',
      '-addext',
      names,
    ];
    execFileSync('openssl', [...self, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const [own, auth] = [new URL(url).origin, authOrigin];
    const proxy = await startHttpProxy(
      { 'tools.test': own, 'auth.test': auth },
      {
        certificate: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') },
        rename: (text) => text.replaceAll(own, 'https://tools.test').replaceAll(auth, 'https://auth.test'),
      },
    );
    const env = { HTTPS_PROXY: proxy.url };
    const visit = async (address: string): Promise<void> => {
      // The browser of the test has no proxy.
      await fetch(address.replace('https://auth.test', auth));
    };
    const untrusted = await login(visit, 'tunnelled', env);
    expect(untrusted.envelope.error).toMatchObject({
      code: 'E_CONFIG',
      details: { hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string },
    });
    const trusted = { ...env, NODE_EXTRA_CA_CERTS: cert };
    const run = await login(visit, 'tunnelled', trusted);
    expect(run.envelope).toMatchObject({ ok: true, data: { server: 'tunnelled' } });
    const argv = ['agent', 'tools', '--tools', 'tunnelled', ...config];
    const { envelope } = await deedAsync(argv, { ...options(), env: trusted });
    expect(envelope.data.items.map(({ name }: { name: string }) => name)).toContain('tunnelled__greet');
    expect(proxy.requests).toEqual(
      expect.arrayContaining([
        'CONNECT tools.test:443',
        'CONNECT auth.test:443',
        'POST https://auth.test/register',
        'POST https://auth.test/token',
        'POST https://tools.test/mcp',
      ]),
    );
    await proxy.close();
  });

  it('that cannot be reached is a fault of the network, which may be tried again', async () => {
    const run = await login(async () => undefined, 'closed');
    expect(run.envelope.error).toMatchObject({ code: 'E_NETWORK', retryable: true });
  });

  it('must be configured and have a URL', async () => {
    const codes = await Promise.all(
      ['absent', 'local'].map(
        async (name) =>
          (await deedHere(['agent', 'login', name, '--dry-run', ...config], options())).envelope.error?.code,
      ),
    );
    expect(codes).toEqual(['E_NOT_FOUND', 'E_VALIDATION']);
  });
});
