import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest as test } from '../fixtures/agent-test.ts';
import { aiAgentHere } from '../fixtures/run-ai-agent-here.ts';
import type { AgentFolder, AgentRun } from '../fixtures/run-ai-agent.ts';
import { confirmInProcess, DEED, runInProcess } from '../fixtures/run-in-process.ts';
import { sessionIds } from '../fixtures/stored-session.ts';

/** What a user reads when a session ends without a report, or waits: the reason, and commands that work as printed. */
const ISSUE = {
  description: 'Returns an issue',
  url: 'http://127.0.0.1:9/issues/${parameters.number}',
  parametersSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
};
const CALL = { toolCalls: [{ name: 'rest__issue', arguments: { number: 7 } }] };
const ASK = { approval: [{ tool: 'rest__issue', decision: 'ask' }] };

function configure(folder: AgentFolder, steps: readonly object[], defaults: object = {}): void {
  folder.write('script.json', { steps });
  folder.write('.ai-agent.json', {
    providers: { s: { type: 'script', file: 'script.json' } },
    restTools: { issue: ISSUE },
    defaults: { models: ['s/m'], tools: ['issue'], ...defaults },
  });
}

const run = (folder: AgentFolder, ...flags: string[]): Promise<AgentRun> =>
  aiAgentHere(['s', 'u', ...flags], folder);
const only = (folder: AgentFolder): string => sessionIds(folder)[0] ?? '';

describe.concurrent('a session that ended at a limit', () => {
  test('prints the command that continues it with a higher one', async ({ folder }) => {
    configure(folder, [CALL, { text: '' }, { text: '' }, { text: '' }]);
    const ended = await run(folder, '--max-turns', '2');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`To continue: ai-agent --resume ${only(folder)} --max-turns 4`);
    folder.write('script.json', { steps: [{ report: 'Now done.' }] });
    const continued = await aiAgentHere(['--resume', only(folder), '--max-turns', '4'], folder);
    expect([continued.code, continued.stdout]).toEqual([0, 'Now done.\n']);
  });

  test('says that the report has results only if there are any', async ({ folder }) => {
    configure(folder, [{ failure: { class: 'auth', status: 401, message: 'bad key' } }]);
    const ended = await run(folder);
    expect(ended.stderr).toContain('ai-agent: s/m: HTTP 401: bad key\nCheck the API key of the provider.');
    configure(folder, [{ failure: { class: 'auth', status: 403, message: 'Country not supported' } }]);
    const denied = (await run(folder)).stderr;
    expect(denied).toContain('HTTP 403: Country not supported\nThe provider denied access. Possible causes:');
    configure(folder, [{ failure: { class: 'model_error', status: 404, message: 'no such model' } }]);
    expect((await run(folder)).stderr).not.toContain('results so far');
  });

  test('in format json has no tags of the transport, and the names of the tools', async ({ folder }) => {
    configure(folder, [{ report: 'not JSON' }, { text: '' }, { text: '' }, { text: '' }]);
    const schema = '{"type":"object"}';
    const ended = await run(folder, '--schema', schema, '--max-turns', '2');
    expect(ended.code).toBe(1);
    const report = JSON.parse(ended.stdout) as Record<string, unknown>;
    expect(Object.keys(report)).toEqual(['status', 'reason', 'message', 'text', 'tool_results']);
    expect(report).toMatchObject({ reason: 'final_report_tool_failed', text: 'not JSON', tool_results: [] });
  });
});

describe.concurrent('a cap below the smallest request', () => {
  test('sends none', async ({ folder }) => {
    configure(folder, [{ report: 'Never asked.' }]);
    const ended = await run(folder, '--max-total-tokens', '100', '--events', 'events.ndjson');
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringContaining('maxTotalTokens (100) does not allow a single request'),
    ]);
    expect(folder.read('events.ndjson')).not.toContain('llm.answered');
  });
});

describe.concurrent('a response that is unusable', () => {
  test('is shown with its reason and with what follows', async ({ folder }) => {
    configure(folder, [{ text: 'prose' }, { text: 'prose' }, { report: 'Done.' }]);
    const ended = await run(folder, '--max-retries', '2', '--max-turns', '2');
    expect(ended.stderr).toContain('unusable; retrying: plain text responses without tool calls are ignored');
    expect(ended.stderr).toContain('unusable; the next turn follows: plain text');
  });
});

describe.concurrent('a provider that cannot be reached', () => {
  test('is named with its address, and the turns do not follow each other at once', async ({ folder }) => {
    configure(folder, []);
    folder.write('.ai-agent.json', {
      providers: { p: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } },
    });
    const startMs = performance.now();
    const ended = await run(folder, '--models', 'p/m', '--max-turns', '2', '--max-retries', '1');
    expect(performance.now() - startMs).toBeGreaterThan(500);
    const line = ended.stderr.split('\n').find((text) => text.startsWith('ai-agent: Max turns'));
    expect(line).toContain('Last failure: p/m at http://127.0.0.1:9/v1/chat/completions: ');
  });
});

describe.concurrent('a hint', () => {
  test('names a flag of this program for an invalid value', async ({ folder }) => {
    configure(folder, []);
    const refused = await run(folder, '--max-turns', '0');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('See: ai-agent --help')]);
  });

  test('for a tool server that does not start names a command of this program', async ({ folder }) => {
    configure(folder, []);
    folder.write('.ai-agent.json', {
      providers: { s: { type: 'script', file: 'script.json' } },
      mcpServers: { gone: { command: '/nonexistent/server' } },
    });
    const refused = await run(folder, '--models', 's/m', '--tools', 'gone');
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('"ai-agent --list-tools --tools <name>"'),
    ]);
    expect(refused.stderr).toContain('Check mcpServers.gone.');
    expect(refused.stderr).not.toContain('..');
  });
});

describe.concurrent('a call that waits', () => {
  test('is decided only by numbers that exist, once each', async ({ folder }) => {
    configure(folder, [CALL, { report: 'Done.' }], ASK);
    expect((await run(folder)).code).toBe(1);
    const resume = (...flags: string[]): Promise<AgentRun> =>
      aiAgentHere(['--resume', only(folder), ...flags], folder);
    const refusals: [Promise<AgentRun>, string][] = [
      [resume('--approve', '7'), 'No call "7" of session'],
      [resume('--approve', '0', '--deny', '0'), 'Call 0 is both approved and denied'],
      [run(folder, '--approve', '0'), '--approve is for the calls of a stored session'],
    ];
    for (const [refused, message] of refusals)
      expect(await refused).toMatchObject({ code: 4, stderr: expect.stringContaining(message) });
    folder.write('script.json', { steps: [{ report: 'Done.' }] });
    expect((await resume('--deny', '0')).code).toBe(0);
    expect(await resume('--approve', '0')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has no call that waits'),
    });
  });

  test('has what the documentation promises under deed', async ({ folder }) => {
    configure(folder, [CALL, { report: 'Done.' }], ASK);
    const options = { home: join(folder.home, '.deed'), cwd: folder.path, env: { HOME: folder.home } };
    await confirmInProcess(['config', 'trust', '.', '--file', '.ai-agent.json'], DEED, options);
    const waiting = await confirmInProcess(['agent', 'run', 's', 'u'], DEED, options);
    const id = only(folder);
    const resume = `deed agent run --resume ${id} --approve 0`;
    expect(waiting.envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      details: { action: 'approve_tool_calls', resume, turns: 1 },
    });
    const program = await runInProcess([...resume.split(' ').slice(1), '--dry-run'], DEED, options);
    expect(program.envelope.error).toMatchObject({
      code: 'E_HUMAN_REQUIRED',
      details: { action: 'approve_tool_calls', resume },
    });
    const listed = await runInProcess(['agent', 'sessions', 'list'], DEED, options);
    expect(listed.envelope.data.items).toMatchObject([
      { id, status: 'waiting', agent: 'ai-agent', cwd: folder.path, task: 'u' },
    ]);
  });
});

describe.concurrent('the counts of a session', () => {
  test('leave out the report and the tools of every session', async ({ folder }) => {
    configure(folder, [CALL, { report: 'Done.' }]);
    const done = await run(folder);
    expect(done.stderr).toContain('1 tool ready\n');
    expect(done.stderr).toContain('2 turns, 1 tool call,');
  });
});

describe.concurrent('a target of events that cannot be written', () => {
  test('is refused before the session starts', async ({ folder }) => {
    configure(folder, [{ report: 'Done.' }]);
    const refused = await run(folder, '--events', join(folder.path, 'none', 'x'));
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      4,
      '',
      expect.stringContaining('Events cannot be written to'),
    ]);
  });
});

describe.concurrent('the check without a start', () => {
  test('lists the prompt files of all agents, and names the file of a missing one', async ({ folder }) => {
    configure(folder, []);
    folder.write('team/helper.ai', 'You help.');
    folder.write('lead.ai', '---\nagents: team/helper.ai\n---\nYou lead.');
    const { files } = JSON.parse((await aiAgentHere(['lead.ai', 'u', '--dry-run'], folder)).stdout) as {
      files: string[];
    };
    expect(files.map((file) => file.replace(`${folder.path}/`, ''))).toEqual([
      '.ai-agent.json',
      'lead.ai',
      'team/helper.ai',
    ]);
    folder.write('lead.ai', '---\nagents: team/gone.ai\n---\nYou lead.');
    const refused = await aiAgentHere(['lead.ai', 'u', '--dry-run'], folder);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringMatching(/team\/gone\.ai does not exist\. .*lead\.ai names it as a sub-agent/u),
    ]);
  });

  test.for([
    ['guards', 'guards: [{ mach: x }]', 'did you mean match?', 'match, notMatch, schema, notSchema, message'],
    ['approval', 'approval: [{ tol: x, decision: deny }]', 'did you mean tool?', 'tool, arguments, decision'],
  ])(
    'answers an unknown key in %s with the nearest and all keys',
    async ([, line, meant, known], { folder }) => {
      configure(folder, []);
      folder.write('a.ai', `---\n${line}\n---\nYou.`);
      const refused = await aiAgentHere(['a.ai', 'u', '--dry-run'], folder);
      expect(refused.code).toBe(4);
      expect(refused.stderr).toContain(meant);
      expect(refused.stderr).toContain(`Known keys there: ${known}.`);
    },
  );
});

describe.concurrent('a report', () => {
  test('that breaks two guards is rejected with both reasons', async ({ folder }) => {
    configure(folder, [{ report: 'no' }, { report: 'A: 1, B: 2' }], {
      guards: [{ match: 'A: 1' }, { match: 'B: 2' }],
    });
    const done = await run(folder);
    expect([done.code, done.stdout]).toEqual([0, 'A: 1, B: 2\n']);
    expect(done.stderr).toContain('it must match A: 1; it must match B: 2');
  });
});

test('a file of --accounting that cannot be written is refused before the first request', async ({
  folder,
}) => {
  configure(folder, [{ report: 'Done.' }]);
  const ended = await run(folder, '--accounting', 'no/dir/u.jsonl');
  expect([ended.code, ended.stdout]).toEqual([4, '']);
  expect(ended.stderr).toContain('Cannot save the accounting: Could not write ');
  expect((await run(folder, '--accounting', 'u.jsonl')).code).toBe(0);
});
