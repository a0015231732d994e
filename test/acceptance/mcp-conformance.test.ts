import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, type HttpServer } from '../fixtures/mcp-client.ts';
import { createHome, ROOT } from '../fixtures/run-deed.ts';
import { rowsOf } from '../fixtures/start-node.ts';
import { startTokenProxy } from '../fixtures/token-proxy.ts';

const run = promisify(execFile);
const CONFORMANCE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The other scenarios need the tools, prompts and resources of a special test server. */
/** What all but the first do, the other tests of the server do with the official client too. */
const SCENARIOS = [
  'dns-rebinding-protection',
  'server-initialize',
  'tools-list',
  'ping',
  'resources-list',
  'prompts-list',
  'logging-set-level',
];

describe('the official conformance suite of MCP', () => {
  const home = createHome();
  let server: HttpServer;
  let proxy: Awaited<ReturnType<typeof startTokenProxy>>;
  beforeAll(async () => {
    server = await startHttp(home.path, home.path);
    proxy = await startTokenProxy(server.url, server.token);
  });
  afterAll(async () => {
    proxy.close();
    await server.stop();
    home.dispose();
  });

  it.concurrent.each(rowsOf(SCENARIOS))('passes %s', async (scenario) => {
    const args = [CONFORMANCE, 'server', '--url', proxy.url, '--scenario', scenario];
    const { stdout } = await run(process.execPath, args, { cwd: home.path });
    expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/u);
  });
});
