import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type * as Library from 'deed-cli/agent';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { connectStdio, independentClient } from '../fixtures/mcp-client.ts';
import { aiAgent, mcpServer, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { agentHere, confirmedHere, deedHere } from '../fixtures/run-here.ts';
import { LONG } from '../fixtures/start-node.ts';
import { callsOf, configureSteps, resumeHere, sessionIds } from '../fixtures/stored-session.ts';

/** Rules that allow, ask about or refuse tool calls, and the ways to decide. */
const test = agentTest;

const home = (folder: AgentFolder) => ({ home: join(folder.home, '.deed'), cwd: folder.path });
const REPORT = 'All 3 calls are done.\n';

/** The tools write, read and set are called with n 0, 1 and 2. */
function configure(fixtures: AgentFixtures, approval: object): readonly string[] {
  const { folder, server } = fixtures;
  const argv = configureSteps(fixtures, 3);
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    mcpServers: { count: mcpServer('counting', join(folder.path, 'calls')) },
    defaults: { approval },
  });
  return argv;
}

const toolMessages = ({ server }: AgentFixtures): readonly string[] =>
  ((server.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

describe.concurrent('a tool call', () => {
  test('that a rule denies is not run, and the model gets a refusal', async ({ server, folder }) => {
    const rules = [
      { tool: 'count__write', arguments: { n: '^[1-9]' }, decision: 'allow' },
      { tool: 'count__write', decision: 'deny' },
    ];
    const argv = configure({ server, folder }, rules);
    const run = await aiAgent(argv, { folder });
    expect([run.stdout, run.code]).toEqual([REPORT, 0]);
    expect(callsOf(folder)).toEqual(['read 1', 'set 2']);
    expect(toolMessages({ server, folder })[0]).toBe('(tool failed: denied by the rule for count__write)');
  });

  test('that a rule asks about ends the session with a command, and runs after --approve', async ({
    server,
    folder,
  }) => {
    const argv = configure({ server, folder }, [{ tool: '*__set', decision: 'ask' }]);
    const run = await agentHere(argv, { folder });
    const [id = ''] = sessionIds(folder);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('0: count__set {"n":2}');
    expect(run.stdout).toContain(`ai-agent --resume ${id} --approve 0`);
    expect(callsOf(folder)).toEqual(['write 0', 'read 1']);
    const sent = server.requests.length;
    expect((await resumeHere(folder)).code).toBe(1);
    expect(server.requests).toHaveLength(sent);
    const shown = (await deedHere(['agent', 'sessions', 'show', id], home(folder))).envelope.data;
    expect(shown).toMatchObject({
      status: 'waiting',
      approvals: [{ call: '0', tool: 'count__set', arguments: '{"n":2}' }],
    });
    const agent = await agentHere(['--resume', id, '--approve', '0'], { folder, env: { CLAUDECODE: '1' } });
    expect([agent.code, agent.stderr]).toEqual([1, expect.stringContaining('made by agent claude-code')]);
    const approved = await resumeHere(folder, '--approve', '0');
    expect([approved.stdout, approved.code]).toEqual([REPORT, 0]);
    expect(callsOf(folder)).toEqual(['write 0', 'read 1', 'set 2']);
  });

  test.runIf(LONG)(
    'that a person denies is not run, and the session continues',
    async ({ server, folder }) => {
      const argv = configure({ server, folder }, [{ tool: 'count__write', decision: 'ask' }]);
      expect((await agentHere(argv, { folder })).code).toBe(1);
      const denied = await resumeHere(folder, '--deny', 'all');
      expect([denied.stdout, denied.code]).toEqual([REPORT, 0]);
      expect(callsOf(folder)).toEqual(['read 1', 'set 2']);
      expect(toolMessages({ server, folder })[0]).toBe('(tool failed: a person denied this call)');
    },
  );

  test('is E_HUMAN_REQUIRED under deed, and only a person can approve it', async ({ server, folder }) => {
    const argv = configure({ server, folder }, [{ tool: 'count__write', decision: 'ask' }]);
    const options = home(folder);
    await confirmedHere(['config', 'trust', '.', '--file', '.ai-agent.json'], options);
    const run = await confirmedHere(['agent', 'run', ...argv], options);
    expect(run.code).toBe(9);
    const [id = ''] = sessionIds(folder);
    expect(run.envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      message: expect.stringContaining(`deed agent run --resume ${id} --approve 0`),
      details: {
        session_id: id,
        approvals: [
          {
            call: '0',
            tool: 'count__write',
            server: 'count',
            arguments: '{"n":0}',
            description: 'write',
            rule: { tool: 'count__write', decision: 'ask' },
          },
        ],
      },
    });
    const resume = ['agent', 'run', '--resume', id];
    const program = await deedHere([...resume, '--approve', '0', '--dry-run'], options);
    expect(program.envelope.error).toMatchObject({ code: 'E_HUMAN_REQUIRED' });
    const other = await resumeHere(folder, '--approve', '0');
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('Only a person can decide')]);
    expect(callsOf(folder)).toEqual([]);
    await confirmedHere(['config', 'set', 'work.allow_program_approval', 'true'], options);
    const approved = await confirmedHere([...resume, '--approve', '0'], options);
    expect(approved.envelope.data).toMatchObject({ session_id: id, report_text: REPORT.trim() });
    expect(callsOf(folder)).toEqual(['write 0', 'read 1', 'set 2']);
  });

  test.runIf(LONG)('is decided by the user of an MCP client', async ({ server, folder }) => {
    const argv = configure({ server, folder }, [
      { tool: 'count__write', decision: 'ask' },
      { tool: 'count__set', decision: 'ask' },
    ]);
    const options = home(folder);
    await confirmedHere(['config', 'trust', '.', '--file', '.ai-agent.json'], options);
    const connected = independentClient('foreign', { capabilities: { elicitation: {} } });
    const questions: string[] = [];
    connected.client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { approve: questions.length === 1 } };
    });
    await connectStdio(connected, options.home, folder.path);
    const [system, user] = argv;
    const parameters = {
      system,
      user,
      transport: 'native',
      max_turns: 4,
      models: ['p/m'],
      tools: ['count'],
    };
    const write = { command: 'agent run', parameters };
    const preview = await connected.call('call-write', { ...write, dry_run: true });
    const run = await connected.call('call-write', { ...write, confirm: preview.data.confirm_token });
    expect(run.data).toMatchObject({ report_text: REPORT.trim() });
    expect(questions).toEqual([
      expect.stringContaining('count__write {"n":0}'),
      expect.stringContaining('count__set {"n":2}'),
    ]);
    expect(callsOf(folder)).toEqual(['write 0', 'read 1']);
    expect(toolMessages({ server, folder })[2]).toContain('a person denied');
    await connected.client.close();
  });

  test.runIf(LONG)('is decided by the callback of the library', async ({ server, folder }) => {
    const library = (await import(join(ROOT, 'dist/lib/agent.js'))) as typeof Library;
    configureSteps({ server, folder }, 3);
    const asked: string[] = [];
    const agent = await library.openAgent({
      systemPrompt: 'You count.',
      userPrompt: 'Count.',
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.home },
      settings: {
        models: ['p/m'],
        tools: ['count'],
        toolingTransport: 'native',
        approval: [{ tool: 'count__*', decision: 'ask' }],
      },
    });
    const session = agent.createSession({
      approve: async ({ tool, arguments: args }) => {
        asked.push(`${tool} ${args}`);
        if (asked.length === 3) throw new Error('the window was closed');
        return asked.length === 1 ? 'allow' : { deny: 'not today' };
      },
    });
    expect((await session.run()).success).toBe(true);
    expect(asked).toHaveLength(3);
    expect(callsOf(folder)).toEqual(['write 0']);
    expect(toolMessages({ server, folder }).slice(1)).toEqual([
      '(tool failed: not today)',
      '(tool failed: no person could be asked: the window was closed)',
    ]);
  });

  test('with a rule that cannot be checked is an invalid configuration', async ({ server, folder }) => {
    const argv = configure({ server, folder }, [
      { tool: 'x', arguments: { a: '(?<=b)c' }, decision: 'deny' },
    ]);
    const run = await agentHere(argv, { folder });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining('is not supported')]);
  });
});
