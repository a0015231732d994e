import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttp, type HttpServer } from '../fixtures/mcp-client.ts';
import { installInspector } from '../fixtures/mcp-inspector.ts';
import { createHome, executable, ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const run = promisify(execFile);
let installed = '';
let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const METHODS: [string, string[], string][] = [
  ['tools/list', [], '"call-write"'],
  ['tools/call', ['--tool-name', 'call-read', '--tool-arg', 'command=brief'], '"ok": true'],
  ['resources/list', [], 'deed://receipts'],
  ['resources/read', ['--uri', 'deed://tasks'], 'schema_version'],
];

async function inspect(target: readonly string[], method: string, more: readonly string[]): Promise<string> {
  const { stdout } = await run(
    join(ROOT, 'node_modules/.bin/node'),
    [installed, '--cli', ...target, '--method', method, ...more],
    { env: { PATH: process.env.PATH ?? '', HOME: home.path }, timeout: 60_000 },
  );
  return stdout;
}

describe.runIf(LONG)('the MCP inspector', () => {
  beforeAll(async () => {
    installed = join(await installInspector(), 'node_modules/.bin/mcp-inspector');
  });

  it.each(METHODS)('works over stdio: %s', async (method, more, expected) => {
    const target = [...executable(), 'mcp', 'serve', '-e', `DEED_HOME=${home.path}`];
    expect(await inspect(target, method, more)).toContain(expected);
  });

  describe('over streamable HTTP with the token', () => {
    let server: HttpServer;
    beforeEach(async () => {
      server = await startHttp(home.path, home.path);
    });
    afterEach(() => server.stop());

    it.each(METHODS)('works: %s', async (method, more, expected) => {
      const header = `Authorization: Bearer ${server.token}`;
      const target = [server.url, '--transport', 'http', '--header', header];
      expect(await inspect(target, method, more)).toContain(expected);
    });
  });
});
