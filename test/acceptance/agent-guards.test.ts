import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type * as Library from 'deed-cli/agent';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { aiAgent } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { agentHere } from '../fixtures/run-here.ts';
import { callsOf, configureSteps } from '../fixtures/stored-session.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';

/** Conditions on the report, and hooks of the library. */
const test = agentTest;

/** Configures an agent whose model gives these reports, one after the other, and returns its prompt file. */
function configure(fixtures: AgentFixtures, reports: readonly string[], head: string): string {
  const { server, folder } = fixtures;
  configureSteps(fixtures, 0);
  server.mock.clearFixtures();
  server.mock.on({ predicate: () => true }, () => ({
    toolCalls: [
      {
        name: 'agent__final_report',
        arguments: JSON.stringify({
          format: 'markdown',
          report_content: reports[server.requests.length - 1] ?? reports.at(-1),
        }),
      },
    ],
  }));
  folder.write('guarded.ai', `---\nmodels: p/m\ntoolingTransport: native\n${head}---\nYou report.\n`);
  return 'guarded.ai';
}

const lastMessage = ({ server }: AgentFixtures): string =>
  String(((server.requests.at(-1)?.body.messages ?? []) as { content: unknown }[]).at(-1)?.content);
const toldReason = ({ server }: AgentFixtures): string =>
  JSON.stringify(server.requests.at(-1)?.body.messages ?? '');

describe.concurrent('a guard', () => {
  test.for(
    rowsOf([
      ['match', "guards: [{ match: 'Total: \\d+' }]\n", 'No number.', 'Total: 12', 'it must match Total:'],
      ['notMatch', "guards: [{ notMatch: '(?i)secret' }]\n", 'A SECRET.', 'Nothing.', 'it must not match'],
      [
        'schema',
        'guards: [{ schema: { type: object, required: [sum] }, message: Give the sum. }]\n',
        '{"total":1}',
        '{"sum":1}',
        'Give the sum. (it must match the schema',
      ],
      [
        'notSchema',
        'guards: [{ notSchema: { type: object, properties: { ok: { const: false } }, required: [ok] } }]\n',
        '{"ok":false}',
        '{"ok":true}',
        'it must not match the schema',
      ],
    ]),
  )(
    'with %s rejects a report, tells the model why and leaves one more turn',
    async ([, head, bad, good, reason], { server, folder }) => {
      const file = configure({ server, folder }, [bad, good], head);
      const run = await aiAgent([file, 'Report.'], { folder });
      expect([run.stdout, run.code]).toEqual([`${good}\n`, 0]);
      expect(server.requests).toHaveLength(2);
      expect(toldReason({ server, folder })).toContain(reason);
      const names = server.requests[1]?.body.tools.map(
        (tool: { function: { name: string } }) => tool.function.name,
      );
      expect(names).toEqual(['agent__final_report']);
    },
  );

  test.runIf(LONG)(
    'that no report meets ends the session without showing what it forbids',
    async ({ server, folder }) => {
      const file = configure(
        { server, folder },
        ['The word is xyzzy.'],
        'guards: [{ notMatch: xyzzy }]\nmaxRetries: 2\n',
      );
      const run = await agentHere([file, 'Report.'], { folder });
      expect(run.code).toBe(1);
      expect(run.stdout).toContain('The final report was rejected');
      expect(run.stdout).not.toContain('xyzzy');
    },
  );

  test('also applies to plain text on the final turn', async ({ server, folder }) => {
    const file = configure({ server, folder }, [], "guards: [{ match: 'Total' }]\nmaxTurns: 1\n");
    server.mock.clearFixtures();
    server.mock.on({ predicate: () => true }, () => ({
      content: server.requests.length === 1 ? 'No sum.' : 'Total 3.',
    }));
    const run = await agentHere([file, 'Report.'], { folder });
    expect([run.stdout, run.code]).toEqual(['Total 3.\n', 0]);
    expect(toldReason({ server, folder })).toContain('it must match Total');
  });

  test.for([
    ["guards: [{ match: '(?=x)' }]\n", 'is not supported'],
    ['guards: [{ schema: { type: nonsense } }]\n', 'a guard'],
    ['guards: [{ match: a, notMatch: b }]\n', 'exactly one of'],
  ] as const)('that cannot be checked is refused: %s', async ([head, problem], { server, folder }) => {
    const file = configure({ server, folder }, ['x'], head);
    const run = await agentHere([file, 'Report.'], { folder });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining(problem)]);
    expect(server.requests).toEqual([]);
  });
});

describe.concurrent('hooks of the library', () => {
  const open = async (
    { server, folder }: AgentFixtures,
    hooks: Library.SessionHooks,
  ): Promise<Library.AIAgentResult> => {
    const library = (await import(join(ROOT, 'dist/lib/agent.js'))) as typeof Library;
    configureSteps({ server, folder }, 3);
    const agent = await library.openAgent({
      systemPrompt: 'You count.',
      userPrompt: 'Count.',
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.home },
      settings: { models: ['p/m'], tools: ['count'], toolingTransport: 'native' },
    });
    return agent.createSession({ hooks }).run();
  };

  test('change requests, refuse responses, and change or refuse tool calls and results', async ({
    server,
    folder,
  }) => {
    let refused = 0;
    const result = await open(
      { server, folder },
      {
        beforeModel: ({ turn, messages }) =>
          turn === 4
            ? { messages: [...messages, { role: 'user', content: 'A hook says hello.' }] }
            : undefined,
        afterModel: ({ turn }) => {
          refused += 1;
          return turn === 1 && refused === 1 ? { refuse: 'try once more' } : undefined;
        },
        beforeTool: ({ tool, arguments: { n } }) => {
          if (tool === 'count__read') throw new Error('reading is closed');
          return tool === 'count__write' ? { arguments: { n: Number(n) + 40 } } : undefined;
        },
        afterTool: ({ tool }, { text }) => (tool === 'count__set' ? { text: `${text}, seen` } : undefined),
      },
    );
    expect(result.success).toBe(true);
    expect(callsOf(folder)).toEqual(['write 40', 'set 2']);
    const messages = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      'write 40: ok',
      '(tool failed: reading is closed)',
      'set 2: ok, seen',
    ]);
    expect(lastMessage({ server, folder })).toBe('A hook says hello.');
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('rejected: try once more');
  });

  test('that refuse a request end the session with their reason', async ({ server, folder }) => {
    const result = await open(
      { server, folder },
      { beforeModel: () => ({ refuse: 'the budget of the team is spent' }) },
    );
    expect(result).toMatchObject({
      success: false,
      error: 'A request was refused: the budget of the team is spent',
      finalReport: { metadata: { reason: 'refused' } },
    });
    expect(server.requests).toEqual([]);
  });
});
