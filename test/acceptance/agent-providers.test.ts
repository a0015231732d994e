import { describe, expect } from 'vitest';
import { agentTest as test, type AgentFixtures } from '../fixtures/agent-test.ts';
import { FAMILY_NAMES, providerAt, type Family } from '../fixtures/provider-families.ts';
import { aiAgent, mcpServer } from '../fixtures/run-ai-agent.ts';
import { agentHere } from '../fixtures/run-here.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';

/** Sessions of the executable with every provider family over HTTP, and with real tool servers. */
const KEY = 'sk-test-0123456789abcdefghij';

function configure({ server, folder }: AgentFixtures, family: Family): void {
  folder.write('.ai-agent.json', {
    providers: { p: providerAt(family, server.url, '${TEST_KEY}') },
    // The real server takes a second to start, so only two families use it.
    mcpServers: { every: mcpServer(/chat|anthropic/u.test(family) ? 'everything' : 'faulty') },
  });
}

/** Of every protocol one; the other families differ in addresses and headers, which are tested without a process. */
const SHORT_FAMILIES = new Set<Family>(['openai responses', 'anthropic', 'google']);
const families = FAMILY_NAMES.filter((family) => LONG || SHORT_FAMILIES.has(family));

describe.concurrent.each(families)('%s', (family) => {
  test.for(LONG && family === 'anthropic' ? ['--stream', '--no-stream'] : ['--stream'])(
    'calls a real tool and reports (%s)',
    async (flag, { server, folder }) => {
      configure({ server, folder }, family);
      server.mock.on(
        { toolResultContains: 'hello there' },
        {
          toolCalls: [
            {
              name: 'agent__final_report',
              arguments: JSON.stringify({ format: 'markdown', report_content: 'The echo came back.' }),
            },
          ],
        },
      );
      server.mock.onMessage('Call the echo', {
        toolCalls: [{ name: 'every__echo', arguments: '{"message":"hello there"}' }],
      });
      const run = await aiAgent(
        [
          'You are a tester.',
          'Call the echo.',
          '--models',
          'p/gpt-4o',
          '--tools',
          'every',
          '--transport',
          'native',
          flag,
        ],
        {
          folder,
          env: { TEST_KEY: KEY },
        },
      );
      expect({ ...run, stderr: '' }).toMatchObject({ code: 0, stdout: 'The echo came back.\n' });
      const sent = JSON.stringify(server.requests.at(-1)?.body);
      expect(sent).toContain('hello there');
      expect(run.stderr).toContain('✓ every__echo');
      expect(run.stdout + run.stderr).not.toContain(KEY);
    },
  );
});

describe.concurrent.each(rowsOf(['google', 'openai chat']))('%s', (family) => {
  test('reads the report from its tag and does not print the tag', async ({ server, folder }) => {
    configure({ server, folder }, family);
    server.mock.onMessage(/./u, (request: { messages: { content: unknown }[] }) => {
      const nonce = /ai-agent-([0-9a-f]{8})-FINAL/u.exec(JSON.stringify(request))?.[1] ?? 'none';
      return {
        content: `thinking aloud <ai-agent-${nonce}-FINAL tool="agent__final_report" format="markdown">Tagged **report**.</ai-agent-${nonce}-FINAL>`,
      };
    });
    const run = await agentHere(['You are a tester.', 'Report.', '--models', 'p/gpt-4o'], {
      folder,
      env: { TEST_KEY: KEY },
    });
    expect({ ...run, stderr: '' }).toEqual({ code: 0, stdout: 'Tagged **report**.\n', stderr: '' });
  });
});

describe.concurrent('configured parameters', () => {
  test('are sent: defaults, overrides of provider and model, prompt file and command line', async ({
    server,
    folder,
  }) => {
    folder.write('.ai-agent.json', {
      providers: {
        p: {
          type: 'openai-compatible',
          baseUrl: `${server.url}/v1`,
          topK: 7,
          models: { small: { temperature: 0.75 } },
          headers: { 'x-team': 'blue' },
        },
      },
      defaults: { temperature: 0.5, topP: 0.25, repeatPenalty: 1.5 },
    });
    folder.write(
      'ask.ai',
      '#!/usr/bin/env ai-agent\n---\nmodels: p/big,p/small\nmaxOutputTokens: 321\nmaxTurns: 1\nmaxRetries: 2\n---\nYou are on turn 1 of ${MAX_TURNS}.\n',
    );
    server.failNext({ status: 500 });
    server.mock.onMessage(/./u, { content: 'Plain text on the last turn.' });
    const run = await agentHere(['ask.ai', 'Go', '--top-p', '0.125'], { folder });
    expect({ ...run, stderr: '' }).toMatchObject({ code: 0, stdout: 'Plain text on the last turn.\n' });
    const [big, small] = server.requests;
    const shared = { top_p: 0.125, top_k: 7, repeat_penalty: 1.5, max_tokens: 321 };
    expect([big?.body, small?.body]).toMatchObject([
      { model: 'big', temperature: 0.5, ...shared },
      { model: 'small', temperature: 0.75, ...shared },
    ]);
    expect(big?.headers['x-team']).toBe('blue');
    expect(JSON.stringify(big?.body)).toContain('You are on turn 1 of 1.');
  });
});
