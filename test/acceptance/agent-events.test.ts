import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest } from '../fixtures/agent-test.ts';
import { aiAgent } from '../fixtures/run-ai-agent.ts';
import { executable, waitFor } from '../fixtures/run-deed.ts';
import { agentHere, confirmedHere } from '../fixtures/run-here.ts';
import { configureSteps } from '../fixtures/stored-session.ts';

/** Events of a session as JSON Lines, in a file or on a descriptor. */
const test = agentTest;

interface Line {
  readonly type: string;
  readonly [name: string]: unknown;
}

const parse = (text: string): readonly Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe.concurrent('events', () => {
  test('tell turns, tool calls with arguments and results, retries, usage, cost and the end', async ({
    server,
    folder,
  }) => {
    const argv = configureSteps({ server, folder }, 2);
    server.failNext({ status: 500 });
    const run = await agentHere([...argv, '--events', 'events.ndjson'], { folder });
    expect([run.stdout, run.code]).toEqual(['All 2 calls are done.\n', 0]);
    const events = parse(folder.read('events.ndjson'));
    const of = (type: string): readonly Line[] => events.filter((event) => event.type === type);
    expect(of('turn.started').map(({ turn }) => turn)).toEqual([1, 2, 3]);
    expect(of('turn.finished')).toHaveLength(3);
    expect(of('llm.failed')).toEqual([expect.objectContaining({ class: 'network', waitMs: 0 })]);
    expect(of('tool.started')[0]).toMatchObject({ tool: 'count__write', arguments: '{"n":0}' });
    expect(of('tool.finished')[0]).toMatchObject({ tool: 'count__write', ok: true, result: 'write 0: ok' });
    expect(of('llm.answered')[0]).toMatchObject({ inputTokens: expect.any(Number), totalCostUsd: 0 });
    expect(events.at(-1)).toMatchObject({
      type: 'session.finished',
      result: { success: true, turns: 3, report: { content: 'All 2 calls are done.' }, costUsd: 0 },
    });
    expect(statSync(join(folder.path, 'events.ndjson')).mode & 0o777).toBe(0o600);
  });

  test('contain the streamed text', async ({ server, folder }) => {
    configureSteps({ server, folder }, 0);
    server.mock.clearFixtures();
    server.mock.onMessage(/./u, { content: 'Good morning to you.' });
    const argv = ['Be kind.', 'Hello.', '--models', 'p/m', '--max-turns', '1', '--events', 'e.ndjson'];
    expect((await agentHere(argv, { folder })).stdout).toBe('Good morning to you.\n');
    const deltas = parse(folder.read('e.ndjson')).filter(({ type }) => type === 'output.delta');
    expect(deltas.map(({ text }) => text).join('')).toBe('Good morning to you.');
  });

  test('go to an open descriptor', async ({ server, folder }) => {
    const argv = configureSteps({ server, folder }, 1);
    const fd = openSync(join(folder.path, 'three'), 'w');
    const [program] = executable('ai-agent');
    const child = spawn(program, [...argv, '--events', '3'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', HOME: folder.home, DEED_HOME: join(folder.home, '.deed') },
      stdio: ['pipe', 'pipe', 'pipe', fd],
    });
    const run = await waitFor(child);
    closeSync(fd);
    expect([run.stdout, run.code]).toEqual(['All 1 calls are done.\n', 0]);
    expect(parse(readFileSync(join(folder.path, 'three'), 'utf8')).at(-1)?.type).toBe('session.finished');
  });

  test('are written by deed too', async ({ server, folder }) => {
    const argv = configureSteps({ server, folder }, 1);
    const options = { home: join(folder.home, '.deed'), cwd: folder.path };
    await confirmedHere(['config', 'trust', '.', '--file', '.ai-agent.json'], options);
    const run = await confirmedHere(['agent', 'run', ...argv, '--events', 'e.ndjson'], options);
    expect(run.envelope.ok).toBe(true);
    expect(parse(folder.read('e.ndjson'))[0]?.type).toBe('session.started');
  });

  test.for([
    ['1', 'standard output contains only the report'],
    ['77', 'it is not open'],
  ] as const)('are refused for descriptor %s', async ([fd, problem], { server, folder }) => {
    const argv = configureSteps({ server, folder }, 1);
    const run = await aiAgent([...argv, '--events', fd], { folder });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining(problem)]);
    expect(server.requests).toEqual([]);
  });

  test('that cannot be written do not end the session', async ({ server, folder }) => {
    const argv = configureSteps({ server, folder }, 1);
    const run = await agentHere([...argv, '--events', '/dev/full'], { folder });
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('Events are no longer written')]);
  });
});
