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
