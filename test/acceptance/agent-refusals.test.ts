import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest as test } from '../fixtures/agent-test.ts';
import { aiAgentHere } from '../fixtures/run-ai-agent-here.ts';
import { mcpServer, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';

/** Rules and names that match nothing are refused before a tool runs, and refused calls are shown. */
const ISSUE = {
  description: 'Returns an issue',
  url: 'http://127.0.0.1:9/issues/${parameters.number}',
  parametersSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
};
const CALL = [{ name: 'rest__issue', arguments: { number: 7 } }];

interface Setup {
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly approval?: readonly object[];
  readonly more?: object;
}

function configure(folder: AgentFolder, { calls = CALL, approval = [], more = {} }: Setup = {}): void {
  folder.write('script.json', { steps: [{ toolCalls: calls }, { report: 'Done.' }] });
  folder.write('.ai-agent.json', {
    providers: { s: { type: 'script', file: 'script.json' } },
    mcpServers: { files: mcpServer('counting', join(folder.path, 'calls')) },
    restTools: { issue: ISSUE },
    defaults: { models: ['s/m'], approval },
    ...more,
  });
}

const run = (folder: AgentFolder, ...flags: string[]) => aiAgentHere(['s', 'u', ...flags], folder);

describe.concurrent('an approval rule', () => {
  test.for<[string, object, string]>(
    rowsOf([
      ['without the prefix of its tool', { tool: 'issue' }, 'has no server; the names of tools are'],
      ['for a REST tool that does not exist', { tool: 'rest__isue' }, 'did you mean rest__issue?'],
      ['for an unknown server', { tool: 'flies__write' }, 'names the unknown server flies'],
      [
        'with an unknown argument',
        { tool: 'rest__issue', arguments: { numbr: '7' } },
        'did you mean number?',
      ],
    ]),
  )('%s is refused', async ([, rule, message], { folder }) => {
    for (const decision of ['deny', 'ask']) {
      configure(folder, { approval: [{ ...rule, decision }] });
      const refused = await run(folder, '--tools', 'issue');
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(message)]);
    }
    configure(folder, { approval: [{ ...rule, decision: 'allow' }] });
    expect((await run(folder, '--tools', 'issue')).code).toBe(0);
  });

  test.runIf(LONG)('for a tool that its server does not have is refused', async ({ folder }) => {
    configure(folder, { approval: [{ tool: 'files__wriet', decision: 'deny' }] });
    const refused = await run(folder, '--tools', 'files');
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringMatching(
        /files__wriet \(deny\) matches none of the tools: files__write, .*files__write\?/u,
      ),
    ]);
    expect(refused.stderr).not.toContain('To continue');
  });

  test.runIf(LONG)('for tools that the session does not use is accepted', async ({ folder }) => {
    const approval = [
      'files__read',
      '*delete*',
      'files__delete*',
      'rest__issue',
      'tracker__close',
      'agent__x',
    ].map((tool) => ({ tool, decision: 'deny' }));
    configure(folder, { calls: [{ name: 'files__set', arguments: { n: 1 } }], approval });
    expect((await run(folder, '--tools', 'files__set')).code).toBe(0);
    expect(folder.read('calls')).toBe('set 1\n');
  });

  test('of a prompt file for a sub-agent that it does not have is refused', async ({ folder }) => {
    configure(folder);
    folder.write('helper.ai', 'You help.');
    folder.write(
      'lead.ai',
      '---\nagents: helper.ai\napproval: [{ tool: agent__helpr, decision: deny }]\n---\nYou lead.',
    );
    const refused = await aiAgentHere(['lead.ai', 'u', '--dry-run'], folder);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('did you mean agent__helper?'),
    ]);
  });
});

test('a rule of a prompt file applies to the calls of its sub-agents', async ({ folder }) => {
  configure(folder);
  folder.write('script.json', {
    steps: [
      { toolCalls: [{ name: 'agent__helper', arguments: { prompt: 'Read issue 7.' } }] },
      { toolCalls: CALL },
      { report: 'I may not.' },
      { report: 'Done.' },
    ],
  });
  folder.write('helper.ai', '---\ntools: issue\n---\nYou help.');
  folder.write(
    'lead.ai',
    '---\nagents: helper.ai\napproval: [{ tool: rest__issue, decision: deny }]\n---\nYou lead.',
  );
  const led = await aiAgentHere(['lead.ai', 'u'], folder);
  expect([led.code, led.stderr]).toEqual([
    0,
    expect.stringContaining('[lead->helper] ✗ rest__issue: denied by the rule for rest__issue'),
  ]);
});

describe.concurrent('a refused call', () => {
  test.for<[string, Setup, string, string]>([
    [
      'by a rule',
      { approval: [{ tool: 'rest__issue', decision: 'deny' }] },
      'rest__issue: denied by the rule for rest__issue',
      'denied',
    ],
    [
      'of an unknown tool',
      { calls: [{ name: 'nope', arguments: {} }] },
      'nope: unknown tool nope',
      'unknown_tool',
    ],
    [
      'with invalid arguments',
      { calls: [{ name: 'rest__issue', arguments: { number: 'x' } }] },
      'rest__issue: invalid arguments: ',
      'invalid_arguments',
    ],
  ])('%s is shown to the user and in the events', async ([, setup, line, refused], { folder }) => {
    configure(folder, setup);
    const shown = await run(folder, '--tools', 'issue', '--events', 'events.ndjson');
    expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining(`✗ ${line}`)]);
    const events = folder
      .read('events.ndjson')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(events.filter(({ type }) => type === 'tool.finished')).toMatchObject([{ ok: false, refused }]);
    expect(events.filter(({ type }) => type === 'tool.started')).toEqual([]);
  });
});

describe.concurrent('a tool that does not exist', () => {
  test.for<[string, object, string]>(
    rowsOf([
      ['as server__tool', {}, 'files__raed'],
      ['in toolsAllowed', { toolsAllowed: ['read', 'raed'] }, 'files'],
      ['in toolsDenied', { toolsDenied: ['raed', 'w*'] }, 'files'],
    ]),
  )('%s is refused', async ([, settings, tools], { folder }) => {
    const server = { ...mcpServer('counting', join(folder.path, 'calls')), ...settings };
    configure(folder, { more: { mcpServers: { files: server } } });
    const refused = await run(folder, '--tools', tools);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('the server has no tool raed'),
    ]);
  });

  test('as a parameter of a REST tool is refused', async ({ folder }) => {
    const url = 'http://127.0.0.1:9/${parameters.numbr}';
    configure(folder, { more: { restTools: { issue: { ...ISSUE, url } } } });
    const refused = await run(folder, '--tools', 'issue', '--dry-run');
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining(
        'restTools.issue.url uses ${parameters.numbr}, which parametersSchema does not have',
      ),
    ]);
  });
});

test('a tool server without a command is refused by --dry-run too', async ({ folder }) => {
  configure(folder, { more: { mcpServers: { files: { args: ['x'] } } } });
  for (const flags of [[], ['--dry-run']]) {
    const refused = await run(folder, '--tools', 'files', ...flags);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has no valid command')]);
  }
});
