import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, startDeed } from '../fixtures/run-deed.ts';

const MB = 1_000_000;
/** Start and ordinary calls need about 100 MB. */
const MAX_RESIDENT_MB = 300;

interface Answer {
  readonly id: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

function start(home: string) {
  const child = startDeed(['mcp', 'serve'], { home });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const write = async (bytes: string | Buffer): Promise<void> => {
    if (!stdin.write(bytes)) await once(stdin, 'drain');
  };
  return {
    child,
    write,
    next: async (): Promise<Answer> => JSON.parse((await answers.next()).value as string) as Answer,
    request: (id: number, method: string, params: object = {}) =>
      write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`),
    stop: async (): Promise<void> => {
      const closed = once(child, 'close');
      stdin.end();
      await closed;
    },
  };
}

describe.skipIf(process.platform !== 'linux')('mcp serve over stdio', () => {
  let home: ReturnType<typeof createHome>;
  beforeEach(() => {
    home = createHome();
  });
  afterEach(() => home.dispose());

  it('answers a line of 200 MB with an error, skips it with bounded memory, and continues', async () => {
    const server = start(home.path);
    await server.request(1, 'initialize', INITIALIZE);
    expect(await server.next()).toMatchObject({ id: 1, result: {} });
    await server.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"');
    const piece = Buffer.alloc(MB, 'x');
    for (let count = 0; count < 200; count += 1) await server.write(piece);
    await server.write('"}}\n');
    await server.request(3, 'ping');
    expect(await server.next()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: expect.stringContaining('more than 16777216 bytes') as string },
    });
    expect(await server.next()).toMatchObject({ id: 3, result: {} });
    const peakMb = Number(/VmHWM:\s+(\d+)/u.exec(statusOf(server.child.pid))?.[1]) / 1024;
    expect(peakMb).toBeGreaterThan(10);
    expect(peakMb).toBeLessThan(MAX_RESIDENT_MB);
    await server.stop();
  });

  it('accepts a line of 12 MB', async () => {
    const server = start(home.path);
    await server.request(1, 'initialize', INITIALIZE);
    await server.next();
    await server.request(2, 'ping', { _meta: { text: 'x'.repeat(12 * MB) } });
    expect(await server.next()).toMatchObject({ id: 2, result: {} });
    await server.stop();
  });
});

function statusOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}
