import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttpProxy, type HttpProxy } from '../fixtures/http-proxy.ts';
import { startLlmServer, type LlmServer } from '../fixtures/llm-server.ts';
import { startHttp, type HttpServer } from '../fixtures/mcp-client.ts';
import { aiAgent, createAgentFolder, type AgentFolder, type AgentRun } from '../fixtures/run-ai-agent.ts';
import { createHome, deedAsync } from '../fixtures/run-deed.ts';
import { rowsOf } from '../fixtures/start-node.ts';

let model: LlmServer;
let tools: HttpServer;
let proxy: HttpProxy;
let toolsHome: ReturnType<typeof createHome>;
let folder: AgentFolder;
beforeAll(async () => {
  toolsHome = createHome();
  [model, tools] = await Promise.all([startLlmServer(), startHttp(toolsHome.path, toolsHome.path)]);
  proxy = await startHttpProxy({ 'model.test': model.url, 'tools.test': new URL(tools.url).origin });
});
afterAll(async () => {
  await Promise.all([model.close(), tools.stop(), proxy.close()]);
  toolsHome.dispose();
});
beforeEach(() => {
  folder = createAgentFolder();
  model.mock.reset();
  model.mock.onMessage(/./u, {
    toolCalls: [
      {
        name: 'agent__final_report',
        arguments: JSON.stringify({ format: 'markdown', report_content: 'It went well.' }),
      },
    ],
  });
  proxy.requests.length = 0;
});
afterEach(() => folder.dispose());

/** Makes one model call to a base URL, with environment variables. */
async function callModel(baseUrl: string, env: Readonly<Record<string, string>>): Promise<AgentRun> {
  const provider = { type: 'openai-compatible', apiKey: 'sk-test-0123456789abcdefghij', baseUrl };
  folder.write('.ai-agent.json', { providers: { p: provider } });
  return aiAgent(
    ['You are a tester.', 'Go.', '--models', 'p/m', '--transport', 'native', '--max-turns', '2'],
    {
      folder,
      env,
    },
  );
}

describe('a proxy', () => {
  it.each(rowsOf(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']))(
    'set by %s is used for model calls',
    async (name) => {
      const run = await callModel('http://model.test/v1', { [name]: proxy.url });
      expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('It went well.')]);
      expect(proxy.requests).toEqual(['POST http://model.test/v1/chat/completions']);
    },
  );

  it.each(rowsOf([[[]], [['NO_PROXY']], [['no_proxy', 'NO_PROXY']]]))(
    'is not used for loopback, with other exceptions in %j',
    async (names) => {
      const exceptions = Object.fromEntries(names.map((name) => [name, 'elsewhere.test']));
      const { port } = new URL(model.url);
      for (const host of ['127.0.0.1', 'localhost', '127.1.2.3']) {
        const run = await callModel(`http://${host}:${port}/v1`, {
          HTTP_PROXY: proxy.url,
          HTTPS_PROXY: proxy.url,
          ...exceptions,
        });
        // The mock listens only on 127.0.0.1, so the third host fails; the proxy must not be used for it either.
        if (host !== '127.1.2.3') expect(run.stdout).toContain('It went well.');
      }
      expect(proxy.requests).toEqual([]);
    },
  );

  it.each(rowsOf(['NO_PROXY', 'no_proxy']))('is not used for the hosts in %s', async (name) => {
    const env = { HTTP_PROXY: proxy.url, [name]: 'other.test, model.test' };
    const run = await callModel('http://model.test/v1', env);
    expect([run.code === 0, proxy.requests]).toEqual([false, []]);
  });

  it('is used for tool servers over HTTP, and not for those on loopback', async () => {
    const list = async (url: string): Promise<number> => {
      const server = { type: 'http', url, headers: { authorization: `Bearer ${tools.token}` } };
      const config = folder.write('agent.json', { mcpServers: { remote: server } });
      const { envelope } = await deedAsync(['agent', 'tools', '--config', config, '--fields', 'count'], {
        home: folder.home,
        env: { HTTP_PROXY: proxy.url },
      });
      return envelope.data.count as number;
    };
    const { pathname } = new URL(tools.url);
    const direct = await list(tools.url);
    expect([direct > 0, proxy.requests]).toEqual([true, []]);
    expect(await list(`http://tools.test${pathname}`)).toBe(direct);
    expect(proxy.requests[0]).toBe(`POST http://tools.test${pathname}`);
  });

  it.each(rowsOf(['HTTPS_PROXY', 'https_proxy']))('set by %s is used for updates', async (name) => {
    const settings = { 'update.release_url': 'https://releases.test/deed' };
    writeFileSync(join(folder.home, 'config.json'), JSON.stringify(settings));
    const { envelope } = await deedAsync(['update', '--check'], {
      home: folder.home,
      env: { [name]: proxy.url },
    });
    expect(envelope.error?.code).toBe('E_NETWORK');
    expect(new Set(proxy.requests)).toEqual(new Set(['CONNECT releases.test:443']));
  });
});
