import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttp, type HttpServer } from '../fixtures/mcp-client.ts';
import { createHome, executable, ROOT } from '../fixtures/run-deed.ts';

/** The inspector is larger than all other dependencies, so it is used only if it is installed. */
const installed = join(process.env.DEED_TEST_INSPECTOR ?? '', 'node_modules/.bin/mcp-inspector');
const present = process.env.DEED_TEST_INSPECTOR !== undefined && existsSync(installed);
if (!present) console.warn('Skipped: DEED_TEST_INSPECTOR is not the folder of an installed MCP inspector.');

const run = promisify(execFile);
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

describe.skipIf(!present)('the MCP inspector', () => {
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
