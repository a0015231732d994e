import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { plainScript } from '../../../test/fixtures/plain-script.ts';
import { identifyProcess } from '../../system/process-identity.ts';
import { Budget } from '../accounting/budget.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { ToolCallContext, ToolHost, ToolOutcome } from '../tool-host.ts';
import { createMcpHost } from './mcp-tool-host.ts';
import { McpServerPool } from './mcp-server-pool.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TROUBLE = plainScript(`${ROOT}test/fixtures/mcp/trouble-server.ts`);
const deps = {
  env: { ...process.env, SECRET_KEY: 'do not tell', NAME: 'Ada' },
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
const context = (signal: AbortSignal = never): ToolCallContext => ({
  signal,
  stopSignal: never,
  txnId: 't',
  parentTxnId: 'p',
  originTxnId: 'o',
  callPath: 'a',
  progress: () => undefined,
  budget: new Budget({}),
});

const open: ToolHost[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.close()));
});

async function start(
  settings: McpServerSettings,
  pool = new McpServerPool(deps),
  name = 'server',
): Promise<ToolHost> {
  const host = createMcpHost(pool.lease(name, settings), { settings });
  open.push(host);
  await host.start(never);
  return host;
}

const trouble = (mode = 'well', more: McpServerSettings = {}): McpServerSettings => ({
  command: process.execPath,
  args: [TROUBLE, mode],
  ...more,
});
const call = (host: ToolHost, tool: string, args = {}, signal = never): Promise<ToolOutcome> =>
  host.call(`server__${tool}`, args, context(signal));

/** A call with a time of its own, as the session gives it. */
async function callFor(host: ToolHost, tool: string, ms: number): Promise<ToolOutcome> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('timeout')), ms);
  const outcome = await call(host, tool, {}, controller.signal);
  clearTimeout(timer);
  return outcome;
}

async function gone(pids: readonly number[]): Promise<boolean> {
  for (let round = 0; round < 200; round += 1) {
    if (pids.every((pid) => identifyProcess(pid) === undefined)) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

describe('a tool server', () => {
  it('offers its tools under its own name, within the lists of what is allowed', async () => {
    const host = await start(trouble('well', { toolsAllowed: ['e*', 'pid'], toolsDenied: ['e*r'] }));
    expect(host.listTools().map(({ name }) => name)).toEqual([
      'server__echo',
      'server__endless-line',
      'server__environment',
      'server__pid',
    ]);
    expect(await call(host, 'echo', { city: 'Oslo' })).toEqual({ ok: true, text: '{"city":"Oslo"}' });
    expect(await call(host, 'die')).toEqual({ ok: false, reason: 'unknown tool server__die' });
  });

  it('gets an allowed environment, with its own variables resolved when it starts', async () => {
    const host = await start(trouble('well', { env: { GREETING: 'Hello ${NAME}', ODD: '${NOBODY}' } }));
    const outcome = await call(host, 'environment');
    const env = JSON.parse(outcome.ok ? outcome.text : '{}') as Record<string, string>;
    expect([env.GREETING, env.ODD, env.SECRET_KEY, 'PATH' in env]).toEqual([
      'Hello Ada',
      '${NOBODY}',
      undefined,
      true,
    ]);
  });

  it('leaves no process of its tree behind when it is closed', async () => {
    const host = await start(trouble());
    const outcome = await call(host, 'spawn');
    const pids = JSON.parse(outcome.ok ? outcome.text : '[]') as number[];
    expect(pids.map((pid) => identifyProcess(pid) !== undefined)).toEqual([true, true, true]);
    await host.close();
    expect(await gone(pids)).toBe(true);
  });

  it('that hangs at its start is a fault in time, and leaves no process', async () => {
    await expect(start(trouble('hang', { startTimeoutMs: 700 }))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('did not answer in time') as string,
    });
  });

  it('that dies at its start is a fault with what it said', async () => {
    await expect(start(trouble('die'))).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringMatching(/ended with code 3.*cannot open the database/u) as string,
    });
  });

  it('that is not installed is a fault', async () => {
    await expect(start({ command: 'no-such-program-anywhere' })).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('no-such-program-anywhere') as string,
    });
  });

  it('may print what is no message, before and between', async () => {
    const host = await start(trouble('garbage'));
    expect(await call(host, 'garbage')).toEqual({ ok: true, text: 'after garbage' });
  });

  it('that answers with what is no valid response fails that call at once', async () => {
    const host = await start(trouble());
    expect(await call(host, 'malformed')).toEqual({
      ok: false,
      reason: expect.stringContaining('no valid JSON-RPC response') as string,
    });
    expect(await call(host, 'echo')).toEqual({ ok: true, text: '{}' });
  });

  it('may answer in a batch', async () => {
    const host = await start(trouble());
    expect(await call(host, 'batched')).toEqual({ ok: true, text: 'one of many' });
  });

  it('that closes its output is gone, and started again', async () => {
    const host = await start(trouble());
    expect(await call(host, 'mute')).toEqual({
      ok: false,
      reason: 'the tool server server is gone: it closed its output',
    });
    expect(await call(host, 'echo')).toEqual({ ok: true, text: '{}' });
  });

  it('offers names that every provider takes, and is called by its own', async () => {
    const host = await start(trouble('odd-names'));
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

  it('that dies in a call fails that call with the reason, and is there again for the next', async () => {
    const host = await start(trouble());
    expect(await call(host, 'die')).toEqual({
      ok: false,
      reason: 'the tool server server is gone: it ended with code 7',
    });
    expect(await call(host, 'echo', { back: true })).toEqual({ ok: true, text: '{"back":true}' });
  });

  it('that floods its output is ended and started again', async () => {
    const host = await start(trouble());
    const outcome = await call(host, 'flood');
    expect(outcome).toMatchObject({
      ok: false,
      reason: expect.stringContaining('floods its output') as string,
    });
    expect((await call(host, 'echo')).ok).toBe(true);
  });

  it('that sends a line without an end is ended', async () => {
    const host = await start(trouble());
    expect(await call(host, 'endless-line')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('a line of more than') as string,
    });
  }, 30_000);

  it('may answer with 50 MB', async () => {
    const host = await start(trouble());
    const outcome = await call(host, 'huge');
    expect(outcome.ok && outcome.text.length).toBe(50 * 1024 * 1024);
  }, 30_000);

  it('that only has a slow tool is left running when the call ends', async () => {
    const host = await start(trouble());
    const before = await call(host, 'pid');
    expect((await callFor(host, 'hang', 100)).ok).toBe(false);
    expect(await call(host, 'pid')).toEqual(before);
  });

  it('that no longer answers a probe is replaced', async () => {
    const host = await start(trouble());
    const before = await call(host, 'pid');
    expect((await callFor(host, 'freeze', 100)).ok).toBe(false);
    // Waits in the frozen server until the probe ends it, or gets the new one.
    let after = await call(host, 'pid');
    if (!after.ok) after = await call(host, 'pid');
    expect(after.ok).toBe(true);
    expect(after).not.toEqual(before);
    expect(await gone([Number(before.ok ? before.text : 0)])).toBe(true);
  }, 30_000);

  it('tells of an error of a tool as the reason', async () => {
    const host = await start(trouble());
    expect(await call(host, 'error')).toEqual({ ok: false, reason: 'no such city' });
  });

  it('is shared by sessions with equal settings, and ends with the last of them', async () => {
    const pool = new McpServerPool(deps);
    const [first, second] = [await start(trouble(), pool), await start(trouble(), pool)];
    const pid = await call(first, 'pid');
    expect(await call(second, 'pid')).toEqual(pid);
    await first.close();
    expect(await call(second, 'pid')).toEqual(pid);
    const own = await start(trouble('well', { shared: false }), pool);
    expect(await call(own, 'pid')).not.toEqual(pid);
    await second.close();
    expect(await gone([Number(pid.ok ? pid.text : 0)])).toBe(true);
  });
});

describe('real servers', () => {
  it.each([
    ['server-everything', [], 'echo', { message: 'hi' }, 'Echo: hi'],
    [
      'server-filesystem',
      [`${ROOT}contract`],
      'list_directory',
      { path: `${ROOT}contract` },
      'contract.json',
    ],
    ['server-memory', [], 'read_graph', {}, 'entities'],
  ] as const)('%s answers', async (name, args, tool, input, expected) => {
    const script = `${ROOT}node_modules/@modelcontextprotocol/${name}/dist/index.js`;
    expect(existsSync(script)).toBe(true);
    const host = await start({ command: process.execPath, args: [script, ...args] });
    const outcome = await call(host, tool, input);
    expect(outcome.ok && outcome.text).toContain(expected);
  });

  it.each([
    ['streamableHttp', 'http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ] as const)('answer over HTTP: %s', async (mode, type, path) => {
    const port = await freePort();
    const script = `${ROOT}node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
    const child = spawn(process.execPath, [script, mode], { env: { ...process.env, PORT: String(port) } });
    try {
      await new Promise<void>((resolve) => {
        const look = (text: Buffer): void => {
          if (/listening|running/iu.test(text.toString())) resolve();
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
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
