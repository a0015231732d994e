import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, test as base } from 'vitest';
import { plainScript } from '../../../test/fixtures/plain-script.ts';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { identifyProcess } from '../../system/process-identity.ts';
import { toolCallContext } from '../../../test/fixtures/tool-call-context.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { ToolCallContext, ToolHost, ToolOutcome } from '../tool-host.ts';
import { createMcpHost } from './mcp-tool-host.ts';
import { McpServerPool } from './mcp-server-pool.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FAULTY_SERVER = plainScript(`${ROOT}test/fixtures/mcp/faulty-server.ts`);
const deps = {
  env: { ...process.env, SECRET_KEY: 'secret value', NAME: 'Ada' },
  cwd: ROOT,
  fetch: globalThis.fetch,
  version: '0',
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    }),
};
const never = new AbortController().signal;
const context = (signal: AbortSignal = never): ToolCallContext => toolCallContext(signal);

type Start = (settings: McpServerSettings, pool?: McpServerPool, name?: string) => Promise<ToolHost>;

/** Tests run concurrently; each closes the hosts that it started. */
const test = base.extend<{ start: Start }>({
  // oxlint-disable-next-line no-empty-pattern -- the format that vitest requires
  start: async ({}, use) => {
    const hosts: ToolHost[] = [];
    await use(async (settings, pool = new McpServerPool(deps), name = 'server') => {
      const host = createMcpHost(pool.lease(name, settings), { settings });
      hosts.push(host);
      await host.start(never);
      return host;
    });
    await Promise.all(hosts.map((host) => host.close()));
  },
});

const faulty = (mode = 'well', more: McpServerSettings = {}): McpServerSettings => ({
  command: process.execPath,
  args: [FAULTY_SERVER, mode],
  ...more,
});
const call = (host: ToolHost, tool: string, args = {}, signal = never): Promise<ToolOutcome> =>
  host.call(`server__${tool}`, args, context(signal));

/** Calls a tool with a timeout, like the session does. */
async function callWithTimeout(host: ToolHost, tool: string, ms: number): Promise<ToolOutcome> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('timeout')), ms);
  const outcome = await call(host, tool, {}, controller.signal);
  clearTimeout(timer);
  return outcome;
}

async function haveExited(pids: readonly number[]): Promise<boolean> {
  for (let round = 0; round < 200; round += 1) {
    if (pids.every((pid) => identifyProcess(pid) === undefined)) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

describe.concurrent('a tool server', () => {
  test('lists its tools with its name as prefix, filtered by its allow and deny lists', async ({ start }) => {
    const host = await start(faulty('well', { toolsAllowed: ['e*', 'pid'], toolsDenied: ['e*r'] }));
    expect(host.listTools().map(({ name }) => name)).toEqual([
      'server__echo',
      'server__endless-line',
      'server__environment',
      'server__pid',
    ]);
    expect(await call(host, 'echo', { city: 'Oslo' })).toEqual({ ok: true, text: '{"city":"Oslo"}' });
    expect(await call(host, 'die')).toEqual({ ok: false, reason: 'unknown tool server__die' });
  });

  test('gets a filtered environment, with its own variables expanded at start', async ({ start }) => {
    const host = await start(faulty('well', { env: { GREETING: 'Hello ${NAME}', ODD: '${UNDEFINED}' } }));
    const outcome = await call(host, 'environment');
    const env = JSON.parse(outcome.ok ? outcome.text : '{}') as Record<string, string>;
    expect([env.GREETING, env.ODD, env.SECRET_KEY, 'PATH' in env]).toEqual([
      'Hello Ada',
      '${UNDEFINED}',
      undefined,
      true,
    ]);
  });

  test('terminates its whole process tree when closed', async ({ start }) => {
    const host = await start(faulty());
    const outcome = await call(host, 'spawn');
    const pids = JSON.parse(outcome.ok ? outcome.text : '[]') as number[];
    expect(pids.map((pid) => identifyProcess(pid) !== undefined)).toEqual([true, true, true]);
    await host.close();
    expect(await haveExited(pids)).toBe(true);
  });

  test('that hangs at start fails with a timeout', async ({ start }) => {
    await expect(start(faulty('hang', { startTimeoutMs: 700 }))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('did not respond in time') as string,
    });
  });

  test('that exits at start fails with its stderr', async ({ start }) => {
    await expect(start(faulty('die'))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringMatching(/exited with code 3.*cannot open the database/u) as string,
    });
  });

  test('that is not installed fails to start', async ({ start }) => {
    await expect(start({ command: 'no-such-program-anywhere' })).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('no-such-program-anywhere') as string,
    });
  });

  test('whose folder does not exist is not called a missing program', async ({ start }) => {
    await expect(start({ command: 'node', cwd: '/no-such-folder' })).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining(
        'The folder /no-such-folder, in which node runs, does not exist',
      ) as string,
    });
  });

  test('may print text before and between messages', async ({ start }) => {
    const host = await start(faulty('garbage'));
    expect(await call(host, 'garbage')).toEqual({ ok: true, text: 'after garbage' });
  });

  test('that sends an invalid response fails that call immediately', async ({ start }) => {
    const host = await start(faulty());
    expect(await call(host, 'malformed')).toEqual({
      ok: false,
      reason: expect.stringContaining('invalid JSON-RPC response') as string,
    });
    expect(await call(host, 'echo')).toEqual({ ok: true, text: '{}' });
  });

  test('may respond in a batch', async ({ start }) => {
    const host = await start(faulty());
    expect(await call(host, 'batched')).toEqual({ ok: true, text: 'one of many' });
  });

  test('that closes its output is restarted', async ({ start }) => {
    const host = await start(faulty());
    expect(await call(host, 'mute')).toEqual({
      ok: false,
      reason: 'the tool server server stopped: it closed its output',
    });
    expect(await call(host, 'echo')).toEqual({ ok: true, text: '{}' });
  });

  test('lists tool names that every provider accepts, and is called with the original ones', async ({
    start,
  }) => {
    const host = await start(faulty('odd-names'));
    const names = host.listTools().map(({ name }) => name);
    expect(names).toEqual([
      expect.stringMatching(/^server__admin_users_list_[0-9a-f]{6}$/u) as string,
      'server__admin_users_list',
      'server___n_',
      expect.stringMatching(/^server__x{49}_[0-9a-f]{6}$/u) as string,
    ]);
    for (const [index, own] of ['admin.users/list', 'admin_users_list', 'ünï', 'x'.repeat(100)].entries())
      expect(await host.call(names[index] ?? '', {}, context())).toEqual({ ok: true, text: own });
  });

  test('that exits during a call fails that call with the reason, and is restarted for the next', async ({
    start,
  }) => {
    const host = await start(faulty());
    expect(await call(host, 'die')).toEqual({
      ok: false,
      reason: 'the tool server server stopped: it exited with code 7',
    });
    expect(await call(host, 'echo', { back: true })).toEqual({ ok: true, text: '{"back":true}' });
  });

  test('that floods its output is terminated and restarted', async ({ start }) => {
    const host = await start(faulty());
    const outcome = await call(host, 'flood');
    expect(outcome).toMatchObject({
      ok: false,
      reason: expect.stringContaining('flooded its output') as string,
    });
    expect((await call(host, 'echo')).ok).toBe(true);
  });

  test('that sends an endless line is terminated', async ({ start }) => {
    const host = await start(faulty());
    expect(await call(host, 'endless-line')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('a line of more than') as string,
    });
  });

  test.runIf(LONG)('may return 50 MB', async ({ start }) => {
    const host = await start(faulty());
    const outcome = await call(host, 'huge');
    expect(outcome.ok && outcome.text.length).toBe(50 * 1024 * 1024);
  });

  test('that responds to the probe keeps running after a cancelled call', async ({ start }) => {
    const host = await start(faulty());
    const before = await call(host, 'pid');
    expect((await callWithTimeout(host, 'hang', 100)).ok).toBe(false);
    expect(await call(host, 'pid')).toEqual(before);
  });

  test('that fails the probe is replaced', async ({ start }) => {
    const host = await start(faulty());
    const before = await call(host, 'pid');
    expect((await callWithTimeout(host, 'freeze', 100)).ok).toBe(false);
    // Waits for the frozen server until the probe terminates it, or reaches the new one.
    let after = await call(host, 'pid');
    if (!after.ok) after = await call(host, 'pid');
    expect(after.ok).toBe(true);
    expect(after).not.toEqual(before);
    expect(await haveExited([Number(before.ok ? before.text : 0)])).toBe(true);
  });

  test('returns the error of a tool as the reason', async ({ start }) => {
    const host = await start(faulty());
    expect(await call(host, 'error')).toEqual({ ok: false, reason: 'no such city' });
  });

  test('is shared by sessions with equal settings, and closed by the last one', async ({ start }) => {
    const pool = new McpServerPool(deps);
    const [first, second] = [await start(faulty(), pool), await start(faulty(), pool)];
    const pid = await call(first, 'pid');
    expect(await call(second, 'pid')).toEqual(pid);
    await first.close();
    expect(await call(second, 'pid')).toEqual(pid);
    const own = await start(faulty('well', { shared: false }), pool);
    expect(await call(own, 'pid')).not.toEqual(pid);
    await second.close();
    expect(await haveExited([Number(pid.ok ? pid.text : 0)])).toBe(true);
  });
});

const MORE_SERVERS = [
  ['server-filesystem', [`${ROOT}contract`], 'list_directory', { path: `${ROOT}contract` }, 'contract.json'],
  ['server-memory', [], 'read_graph', {}, 'entities'],
] as const;

describe.concurrent('real servers', () => {
  test.for([
    ['server-everything', [], 'echo', { message: 'hi' }, 'Echo: hi'],
    ...(LONG ? MORE_SERVERS : []),
  ] as const)('%s responds over stdio', async ([name, args, tool, input, expected], { start }) => {
    const script = `${ROOT}node_modules/@modelcontextprotocol/${name}/dist/index.js`;
    expect(existsSync(script)).toBe(true);
    const host = await start({ command: process.execPath, args: [script, ...args] });
    const outcome = await call(host, tool, input);
    expect(outcome.ok && outcome.text).toContain(expected);
  });

  test.for([
    ['streamableHttp', 'http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ] as const)('respond over HTTP: %s', async ([mode, type, path], { start }) => {
    const port = await freePort();
    const script = `${ROOT}node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
    const child = spawn(process.execPath, [script, mode], { env: { ...process.env, PORT: String(port) } });
    try {
      await new Promise<void>((resolve) => {
        const checkReady = (text: Buffer): void => {
          if (/listening|running/iu.test(text.toString())) resolve();
        };
        child.stdout.on('data', checkReady);
        child.stderr.on('data', checkReady);
      });
      const host = await start({
        type,
        url: `http://127.0.0.1:${port}${path}`,
        headers: { 'x-name': '${NAME}' },
      });
      expect(await call(host, 'echo', { message: 'hi' })).toEqual({ ok: true, text: 'Echo: hi' });
      await host.close();
    } finally {
      child.kill('SIGKILL');
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
