import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type * as Library from 'deed-cli/agent';
import { agentTest as test, type AgentFixtures } from '../fixtures/agent-test.ts';
import { mcpServer } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { agentHere, confirmedHere, deedHere } from '../fixtures/run-here.ts';
import { scriptModel } from '../fixtures/script-model.ts';
import { resumeHere, sessionIds } from '../fixtures/stored-session.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Questions that a tool server asks while a call runs, with the reference server of the protocol. */
const TOOL = 'all__trigger-elicitation-request';
const ANSWER = { name: 'Ada Lovelace' };
const argv = ['You ask.', 'Ask.', ...'--models p/m --tools all --transport native --max-turns 3'.split(' ')];

function configure({ server, folder }: AgentFixtures, more: object = {}): void {
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    mcpServers: { all: { ...mcpServer('everything'), elicitation: 'ask' } },
    ...more,
  });
  scriptModel(server, [{ calls: [[TOOL, {}]] }, { report: 'Asked.' }], 'm');
}

const toolMessage = ({ server }: AgentFixtures): string =>
  ((server.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[]).find(
    ({ role }) => role === 'tool',
  )?.content ?? '';

describe.concurrent('a question of a tool server', () => {
  test.runIf(LONG)(
    'ends the session with a command, and is answered with --answer',
    async ({ server, folder }) => {
      configure({ server, folder });
      const run = await agentHere(argv, { folder });
      const [id = ''] = sessionIds(folder);
      expect(run.code).toBe(1);
      expect(run.stdout).toContain(`0: ${TOOL} {}`);
      expect(run.stdout).toContain('asks: Please provide inputs for the following fields:');
      expect(run.stdout).toContain(`ai-agent --resume ${id} --answer '{"0":{"name":"<string>"`);
      const wrong = await resumeHere(folder, '--answer', '{"0":{"name":7}}');
      expect([wrong.code, wrong.stderr]).toEqual([
        4,
        expect.stringContaining('The answer to call 0 is invalid'),
      ]);
      const unknown = await resumeHere(folder, '--approve', '0');
      expect(unknown.stderr).toContain('No call "0"');
      const answered = await resumeHere(folder, '--answer', JSON.stringify({ 0: ANSWER }));
      expect([answered.stdout, answered.code]).toEqual(['Asked.\n', 0]);
      expect(toolMessage({ server, folder })).toContain('Ada Lovelace');
    },
  );

  test.runIf(LONG)('is declined with --deny, and the call continues', async ({ server, folder }) => {
    configure({ server, folder });
    expect((await agentHere(argv, { folder })).code).toBe(1);
    const denied = await resumeHere(folder, '--deny', '0');
    expect([denied.stdout, denied.code]).toEqual(['Asked.\n', 0]);
    expect(toolMessage({ server, folder })).toContain('User declined');
  });

  test('is E_HUMAN_REQUIRED under deed, and only a person can answer it', async ({ server, folder }) => {
    // A small server, because each of the calls starts it.
    configure(
      { server, folder },
      {
        mcpServers: { all: { ...mcpServer('asking'), elicitation: 'ask' } },
        defaults: { approval: [{ tool: 'all__greet', decision: 'ask' }] },
      },
    );
    server.mock.reset();
    scriptModel(server, [{ calls: [['all__greet', {}]] }, { report: 'Asked.' }], 'm');
    const options = { home: join(folder.home, '.deed'), cwd: folder.path };
    await confirmedHere(['config', 'trust', '.', '--file', '.ai-agent.json'], options);
    await confirmedHere(['config', 'set', 'work.allow_program_approval', 'true'], options);
    await confirmedHere(['agent', 'run', ...argv], options);
    const [id = ''] = sessionIds(folder);
    const resume = ['agent', 'run', '--resume', id];
    // The approved call runs, and asks its question.
    const asked = await confirmedHere([...resume, '--approve', '0'], options);
    expect(asked.code).toBe(9);
    expect(asked.envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      details: {
        action: 'answer_questions',
        resume: expect.stringContaining(`deed agent run --resume ${id} --answer `),
        approvals: [
          { call: '0', tool: 'all__greet', question: { schema: { type: 'object', required: ['name'] } } },
        ],
      },
    });
    const shown = (await deedHere(['agent', 'sessions', 'show', id], options)).envelope.data;
    expect(shown).toMatchObject({
      status: 'waiting',
      approvals: [{ question: { message: expect.any(String) } }],
    });
    await confirmedHere(['config', 'set', 'work.allow_program_approval', 'false'], options);
    const answer = [...resume, '--answer', JSON.stringify({ 0: ANSWER })];
    const program = await deedHere([...answer, '--dry-run'], options);
    expect(program.envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      details: { action: 'answer_questions' },
    });
    await confirmedHere(['config', 'set', 'work.allow_program_approval', 'true'], options);
    const answered = await confirmedHere(answer, options);
    expect(answered.envelope.data).toMatchObject({ session_id: id, report_text: 'Asked.' });
    expect(toolMessage({ server, folder })).toContain('Ada Lovelace');
  });

  test.runIf(LONG)(
    'that follows another one waits too, and the first one keeps its answer',
    async ({ server, folder }) => {
      configure({ server, folder }, { mcpServers: { all: { ...mcpServer('asking'), elicitation: 'ask' } } });
      server.mock.reset();
      scriptModel(server, [{ calls: [['all__order', {}]] }, { report: 'Ordered.' }], 'm');
      expect((await agentHere(argv, { folder })).stdout).toContain('asks: Which size?');
      const second = await resumeHere(folder, '--answer', '{"0":{"size":"L"}}');
      expect([second.code, second.stdout]).toEqual([1, expect.stringContaining('asks: Which colour?')]);
      const done = await resumeHere(folder, '--answer', '{"0":{"colour":"red"}}');
      expect([done.stdout, done.code]).toEqual(['Ordered.\n', 0]);
      expect(JSON.parse(toolMessage({ server, folder }))).toMatchObject([
        { action: 'accept', content: { size: 'L' } },
        { action: 'accept', content: { colour: 'red' } },
      ]);
    },
  );

  test.runIf(LONG)('that is too long is not asked', async ({ server, folder }) => {
    configure({ server, folder }, { mcpServers: { all: { ...mcpServer('asking'), elicitation: 'ask' } } });
    server.mock.reset();
    scriptModel(server, [{ calls: [['all__flood', {}]] }, { report: 'Asked.' }], 'm');
    const run = await agentHere(argv, { folder });
    expect([run.stdout, run.code]).toEqual(['Asked.\n', 0]);
    expect(run.stderr).toContain('The question of all__flood is not asked: it has');
    expect(toolMessage({ server, folder })).toContain('"cancel"');
  });

  test.for([
    ['accepted', { action: 'accept', content: ANSWER }, 'Ada Lovelace'],
    ...(LONG
      ? ([
          ['invalid', { action: 'accept', content: {} }, 'cancelled'],
          ['absent', undefined, 'cancelled'],
        ] as const)
      : []),
  ] as const)('gets the answer of the library: %s', async ([, answer, expected], { server, folder }) => {
    configure({ server, folder });
    const { openAgent } = (await import(join(ROOT, 'dist/lib/agent.js'))) as typeof Library;
    const agent = await openAgent({
      systemPrompt: 'You ask.',
      userPrompt: 'Ask.',
      settings: { models: ['p/m'], tools: ['all'], toolingTransport: 'native', maxTurns: 3 },
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', HOME: folder.home },
    });
    const result = await agent
      .createSession(answer === undefined ? {} : { answer: async () => answer })
      .run();
    expect(result.finalReport.content).toBe('Asked.');
    expect(toolMessage({ server, folder })).toContain(expected);
  });
});
