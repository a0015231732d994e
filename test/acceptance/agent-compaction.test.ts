import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { mcpServer, startAiAgent } from '../fixtures/run-ai-agent.ts';
import { waitFor } from '../fixtures/run-deed.ts';
import { agentHere, deedHere } from '../fixtures/run-here.ts';
import { resumeOnly, sessionIds } from '../fixtures/stored-session.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Older turns that become a summary when the context is nearly full. */
const test = agentTest;

const TURNS = 8;
const CALLS = Array.from({ length: TURNS }, (_, n) => `call-${n}-${'x'.repeat(1200)}`);

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const isSummary = ({ messages }: Body): boolean =>
  messages.at(-1)?.content.includes('Summarize the earlier turns') === true;

/** Each turn repeats a long text; a request for a summary is answered with one. */
function configure({ server, folder }: AgentFixtures, compaction: string): readonly string[] {
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    mcpServers: { tool: mcpServer('faulty') },
  });
  const head = `models: p/m\ntools: tool__echo\ntoolingTransport: native\ncontextWindow: 2600\ncontextWindowBufferTokens: 100\nmaxOutputTokens: 100\nmaxTurns: 20\n${compaction}`;
  folder.write('long.ai', `---\n${head}---\nYou repeat.\n`);
  server.mock.on({ predicate: () => true }, (request: unknown) => {
    const body = request as Body;
    if (isSummary(body))
      return {
        content: `SUMMARY of ${JSON.stringify(body)
          .match(/call-\d/gu)
          ?.at(-1)}`,
      };
    const turn = server.requests.filter((sent) => !isSummary(sent.body as Body)).length - 1;
    const text = CALLS[turn];
    return text === undefined
      ? {
          toolCalls: [
            { name: 'agent__final_report', arguments: '{"format":"markdown","report_content":"Done."}' },
          ],
        }
      : { toolCalls: [{ name: 'tool__echo', arguments: JSON.stringify({ text }) }] };
  });
  return ['long.ai', 'Repeat.'];
}

describe.concurrent('compaction', () => {
  test('lets a session continue that would otherwise end at the context limit', async ({
    server,
    folder,
  }) => {
    const argv = configure({ server, folder }, 'compaction: { atShare: 0.6, keepTurns: 1 }\n');
    const run = await agentHere(argv, { folder });
    expect([run.stdout, run.code]).toEqual(['Done.\n', 0]);
    const bodies = server.requests.map(({ body }) => body as Body);
    const summaries = bodies.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(0);
    const last = JSON.stringify(bodies.at(-1));
    expect(last).toContain('summarized by you');
    expect(last).toContain('SUMMARY of call-');
    expect(last).not.toContain('call-0-');
    expect(last).toContain(`call-${TURNS - 1}-`);
    expect(
      bodies
        .at(-1)
        ?.messages.slice(0, 2)
        .map(({ content }) => content),
    ).toEqual([expect.stringContaining('You repeat.'), 'Repeat.']);
    const [id = ''] = sessionIds(folder);
    const options = { home: join(folder.home, '.deed'), cwd: folder.path };
    const { data } = (await deedHere(['agent', 'sessions', 'show', id], options)).envelope;
    // A summary is a turn, and the conversation keeps everything.
    expect(data.turns).toBe(TURNS + 1 + summaries.length);
    for (const call of CALLS) expect(JSON.stringify(data.conversation)).toContain(call);
    expect(run.stderr).toContain('summarized earlier turns');
  });

  test.runIf(LONG)('is off unless it is configured: the final turn is forced', async ({ server, folder }) => {
    const run = await agentHere(configure({ server, folder }, ''), { folder });
    expect(server.requests.some(({ body }) => isSummary(body as Body))).toBe(false);
    expect(run.stderr).toContain('Forcing the final turn: context');
  });

  test.runIf(LONG)('that fails leaves the conversation as it is', async ({ server, folder }) => {
    const argv = configure({ server, folder }, 'compaction: { atShare: 0.6, keepTurns: 1 }\nmaxRetries: 1\n');
    server.mock.prependFixture({
      match: { predicate: (request: unknown) => isSummary(request as Body) },
      response: { error: { message: 'busy', type: 'server_error' }, status: 500 },
    });
    const run = await agentHere(argv, { folder });
    expect(run.stderr).toContain('could not be summarized');
    expect(run.stderr).toContain('Forcing the final turn: context');
    expect(server.requests.filter(({ body }) => isSummary(body as Body))).toHaveLength(1);
  });

  test('survives a kill', async ({ server, folder }) => {
    const argv = configure({ server, folder }, 'compaction: { atShare: 0.6, keepTurns: 1 }\n');
    const child = startAiAgent(argv, { folder });
    const ended = waitFor(child);
    // The request after the first summary.
    const isAfterSummary = (): boolean => {
      const at = server.requests.findIndex(({ body }) => isSummary(body as Body));
      if (at >= 0) server.hangAfter(at + 1);
      return at >= 0 && server.requests.length > at + 1;
    };
    while (!isAfterSummary() && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2));
    expect(child.exitCode).toBe(null);
    child.kill('SIGKILL');
    await ended;
    server.hangAfter(Number.POSITIVE_INFINITY);
    const run = await resumeOnly(folder);
    expect([run.stdout, run.code]).toEqual(['Done.\n', 0]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('call-0-');
  });
});
