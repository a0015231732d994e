import { expect, it } from 'vitest';
import { describeLine } from './describe-line.ts';

const line = (value: unknown): string => JSON.stringify(value);

it.each([
  [{ type: 'system', subtype: 'init', session_id: 's1', model: 'm1' }, 'session s1, model m1'],
  [{ type: 'system', subtype: 'hook_started' }, undefined],
  [
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', name: 'Read', input: { file_path: 'src/a.ts' } },
        ],
      },
    },
    'I look.\n→ Read src/a.ts',
  ],
  [
    { type: 'user', message: { content: [{ type: 'tool_result', is_error: true, content: 'no\nfile' }] } },
    '← error: no file',
  ],
  [
    { type: 'result', subtype: 'success', is_error: false, num_turns: 3, total_cost_usd: 0.5 },
    'success, 3 turns, $0.5000',
  ],
  [
    { type: 'result', subtype: 'success', is_error: true, result: 'API Error: 401' },
    'failed: API Error: 401',
  ],
])('an event of claude is described: %j', (event, expected) => {
  expect(describeLine('claude', line(event))).toBe(expected);
});

it.each([
  [{ type: 'thread.started', thread_id: 't1' }, 'session t1'],
  [{ type: 'error', message: 'Reconnecting... 1/5' }, 'warning: Reconnecting... 1/5'],
  [{ type: 'item.started', item: { type: 'command_execution', command: 'npm  test' } }, '→ npm test'],
  [
    { type: 'item.completed', item: { type: 'command_execution', exit_code: 1, aggregated_output: 'x' } },
    '← exit code 1: x',
  ],
  [
    { type: 'item.completed', item: { type: 'file_change', changes: [{ kind: 'update', path: 'a' }] } },
    '→ update a',
  ],
  [{ type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } }, 'Done.'],
  [{ type: 'item.completed', item: { type: 'reasoning', text: 'hm' } }, undefined],
  [{ type: 'turn.failed', error: { message: 'quota' } }, 'failed: quota'],
])('an event of codex is described: %j', (event, expected) => {
  expect(describeLine('codex', line(event))).toBe(expected);
});

it.each(['plain words', '{"half', '[1]', '{"no":"type"}'])('another line is unchanged: %j', (text) => {
  expect([describeLine('claude', text), describeLine('codex', text)]).toEqual([text, text]);
  expect(describeLine('command', text)).toBe(text);
});
