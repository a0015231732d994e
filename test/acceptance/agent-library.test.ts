import type * as Library from 'deed-cli/agent';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgentFolder, mcpServer, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';

/** The built library in a separate program. */
describe('deed-cli/agent', () => {
  let folder: AgentFolder;
  let library: typeof Library;
  beforeEach(async () => {
    folder = createAgentFolder();
    library = (await import(join(ROOT, 'dist/lib/agent.js'))) as typeof Library;
  });
  afterEach(() => folder.dispose());

  const options = (steps: readonly object[]): Library.OpenAgentOptions => ({
    systemPrompt: 'Be terse.',
    userPrompt: 'Go.',
    cwd: folder.path,
    env: { PATH: process.env.PATH },
    settings: { models: ['scripted/any'], tools: ['tool'] },
    config: {
      providers: { scripted: { type: 'script', file: folder.write('script.json', { steps }) } },
      mcpServers: { tool: mcpServer('faulty') },
    },
  });

  it('runs a session with tools, returns its result and emits events', async () => {
    const agent = await library.openAgent(
      options([{ toolCalls: [{ name: 'tool__echo', arguments: { word: 'hi' } }] }, { report: 'Done.' }]),
    );
    const types: string[] = [];
    const session = agent.createSession({ onEvent: ({ type }) => types.push(type) });
    const result = await session.run();
    expect(result).toMatchObject({
      success: true,
      finalReport: { status: 'success', content: 'Done.' },
      turns: 2,
    });
    expect(library.renderReport(result.finalReport)).toBe('Done.');
    expect(result.conversation.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(types).toEqual(
      expect.arrayContaining(['session.started', 'llm.requested', 'tool.finished', 'session.finished']),
    );
  });

  it('streams typed events that end with the result', async () => {
    const agent = await library.openAgent(
      options([{ toolCalls: [{ name: 'tool__echo', arguments: { word: 'hi' } }] }, { report: 'Done.' }]),
    );
    const session = agent.createSession({});
    const results: string[] = [];
    let last: Library.SessionEvent | undefined;
    for await (const event of session.stream()) {
      if (event.type === 'tool.finished') results.push(event.result);
      last = event;
    }
    expect(results).toEqual(['{"word":"hi"}']);
    expect(last?.type === 'session.finished' && last.result).toEqual(await session.run());
  });

  it('stores a session, lists it and continues it with another limit and task', async () => {
    const sessions = join(folder.path, 'sessions');
    const call = { toolCalls: [{ name: 'tool__echo', arguments: { word: 'hi' } }] };
    const first = options([call, call]);
    const agent = await library.openAgent({
      ...first,
      sessions,
      settings: { ...first.settings, maxTurns: 2 },
    });
    const { success, txnId: id } = await agent.createSession({}).run();
    expect(success).toBe(false);
    expect(library.listSessions(sessions)).toMatchObject([{ id, status: 'failed', totals: { turns: 2 } }]);
    const { config, cwd, env } = options([{ report: 'Continued.' }]);
    const settings = { maxTurns: 5 };
    const continued = await library.openAgent({
      config,
      cwd,
      env,
      sessions,
      settings,
      resume: id,
      userPrompt: 'Report.',
    });
    const result = await continued.createSession({}).run();
    expect(result).toMatchObject({
      success: true,
      txnId: id,
      turns: 3,
      finalReport: { content: 'Continued.' },
    });
    expect(result.accounting.filter(({ type }) => type === 'tool')).toHaveLength(2);
    expect(library.readSession(sessions, id).conversation.at(-2)).toEqual({
      role: 'user',
      content: 'Report.',
    });
    await expect(library.openAgent({ cwd, env, resume: id })).rejects.toThrow('sessions is missing');
  });

  it('throws only for an invalid configuration', async () => {
    await expect(library.openAgent({ ...options([]), settings: {} })).rejects.toThrow(
      'No model is configured',
    );
    await expect(
      library.openAgent({ ...options([]), settings: { models: ['unknown/any'] } }),
    ).rejects.toBeInstanceOf(library.Fault);
    const agent = await library.openAgent({
      ...options([]),
      config: {
        providers: { scripted: { type: 'script', file: folder.write('script.json', { steps: [] }) } },
        mcpServers: { tool: { command: 'no-such-program' } },
      },
    });
    expect(await agent.createSession({}).run()).toMatchObject({
      success: false,
      errorKind: 'tools',
      finalReport: { status: 'failure' },
    });
  });
});
