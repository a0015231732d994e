import { describe, expect, it } from 'vitest';
import { createReportReader, readClaudeEvent, readCodexEvent } from './agent-events.ts';
import { checkAgents, requireAgent } from './agent-config.ts';

const line = (value: unknown): string => JSON.stringify(value);

describe('the event stream', () => {
  it('of claude contains the tool calls and their results', () => {
    expect(
      readClaudeEvent(
        line({
          type: 'assistant',
          message: {
            content: [
              { type: 'text', text: 'hi' },
              { type: 'tool_use', id: 't1', name: 'Edit', input: { file: 'a' } },
            ],
          },
        }),
      ),
    ).toEqual({ tools: [{ id: 't1', name: 'Edit', input: { file: 'a' }, status: 'pending' }] });
    expect(
      readClaudeEvent(
        line({
          type: 'user',
          message: { content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'no' }] },
        }),
      ).tools,
    ).toEqual([{ id: 't1', name: '', input: null, output: 'no', status: 'error', error: 'no' }]);
    expect(
      readClaudeEvent(line({ type: 'result', subtype: 'success', is_error: false, result: 'done' })),
    ).toEqual({ tools: [] });
    expect(readClaudeEvent(line({ type: 'result', subtype: 'error_max_turns', is_error: true }))).toEqual({
      tools: [],
      error: 'error_max_turns',
    });
  });

  it('of codex contains the tool calls and their results', () => {
    const item = { id: 'item_1', type: 'command_execution', command: 'ls', status: 'in_progress' };
    expect(readCodexEvent(line({ type: 'item.started', item })).tools).toEqual([
      {
        id: 'item_1',
        name: 'command_execution',
        input: { command: 'ls' },
        status: 'pending',
        error: undefined,
      },
    ]);
    expect(
      readCodexEvent(line({ type: 'item.completed', item: { ...item, status: 'failed', exit_code: 2 } }))
        .tools[0],
    ).toMatchObject({ id: 'item_1', status: 'error', error: 'exit code 2' });
    expect(
      readCodexEvent(line({ type: 'item.completed', item: { id: 'x', type: 'agent_message', text: 'hi' } })),
    ).toEqual({ tools: [] });
    // A lost connection is reported and retried.
    expect(readCodexEvent(line({ type: 'error', message: 'Reconnecting... 1/5' }))).toEqual({ tools: [] });
    expect(readCodexEvent(line({ type: 'turn.failed', error: { message: 'quota' } }))).toEqual({
      tools: [],
      error: 'quota',
    });
  });

  it('of a command counts each reported line', () => {
    const read = createReportReader();
    expect(
      [line({ name: 'write' }), line({ name: 'write', id: 'mine', status: 'error', error: 'full' })].map(
        read,
      ),
    ).toEqual([
      { tools: [{ id: 'event-1', name: 'write', input: null, status: 'success', error: undefined }] },
      { tools: [{ id: 'mine', name: 'write', input: null, status: 'error', error: 'full' }] },
    ]);
  });

  it.each([
    '',
    'plain words',
    '{"half',
    '[1]',
    'null',
    '{"type":"user","message":{"content":[null,1,{}]}}',
    '\u0000\uFFFD',
  ])('ignores lines that are not events: %j', (text) => {
    expect([readClaudeEvent(text), readCodexEvent(text)]).toEqual([{ tools: [] }, { tools: [] }]);
  });
});

describe('configured agents', () => {
  it('are rejected by name when invalid', () => {
    expect(() => checkAgents({ 'agent-1': { kind: 'command' } })).toThrow(
      'Invalid configuration of agent "agent-1": argv',
    );
    expect(() => checkAgents({ a: { kind: 'magic' } })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('command, claude, codex, builtin') }),
    );
    expect(() => checkAgents({ a: { kind: 'command', argv: ['x'], odd: 1 } })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('kind, argv, env, write_paths, read_paths') }),
    );
    expect(() => checkAgents({ a: { kind: 'command', argv: ['x'], write_paths: ['relative'] } })).toThrow(
      'absolute',
    );
  });

  it('are found by id, and an unknown id gets a suggestion', () => {
    const agents = checkAgents({ 'agent-1': { kind: 'claude' }, writer: { kind: 'command', argv: ['./w'] } });
    expect(requireAgent(agents, 'writer')).toEqual({ kind: 'command', argv: ['./w'] });
    expect(() => requireAgent(agents, 'wirter')).toThrow(
      expect.objectContaining({ code: 'E_CONFIG', hint: 'Did you mean writer?' }),
    );
    expect(() => requireAgent(agents, 'constructor')).toThrow('Unknown agent: "constructor"');
  });
});
