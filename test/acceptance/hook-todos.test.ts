import { beforeEach, expect, it } from 'vitest';
import { createHome } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
  return () => home.dispose();
});

type Input = Readonly<Record<string, unknown>>;

function hook(event: string, input: Input, host = 'claude'): string {
  const call = { session_id: 's1', cwd: '/src/app', ...input };
  return vybe(['hook', event, '--host', host], { home: home.path, input: JSON.stringify(call) }).stdout;
}
const use = (tool_name: string, tool_input: Input, input: Input = {}): string =>
  hook('tool-success', { tool_name, tool_input, ...input });
const todo = (content: string, status = 'pending'): Input => ({
  content,
  status,
  activeForm: `Doing ${content}`,
});
const recorded = (): number =>
  (vybe(['events', 'list', '--all'], { home: home.path }).answer.data.events as unknown[]).length;

/** The section of the to-do list in the brief that the next session gets, without the age of its items. */
function section(): string[] {
  const { additionalContext: text } = (
    JSON.parse(hook('session-start', { session_id: 'reader' })) as {
      hookSpecificOutput: { additionalContext: string };
    }
  ).hookSpecificOutput;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('To-do list'));
  if (start === -1) return [];
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('- '));
  return lines.slice(start, end).map((line) => line.replace(/(?:just now|\d+ \w+ ago)\)$/u, 'AGE)'));
}

it('the brief shows the open items of the list that a session left', () => {
  const list = [
    todo('Write the parser', 'completed'),
    todo('Rename the column', 'in_progress'),
    todo('Rotate sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOp in CI'),
  ];
  use('TodoWrite', { todos: [todo('An older plan')] });
  use('TodoWrite', { todos: list });
  const before = recorded();
  use('TodoWrite', { todos: list });
  expect(recorded()).toBe(before);
  use('TodoWrite', { todos: [todo('A list of a subagent')] }, { agent_id: 'a7' });
  use('Bash', { command: 'npm test' });
  const [title, started, secret, ...others] = section();
  expect([title, started, others]).toEqual([
    'To-do list of the last session, open items:',
    '- Rename the column (started; AGE)',
    [],
  ]);
  expect(secret).toMatch(/^- Rotate .+ in CI \(AGE\)$/u);
  expect(secret).not.toContain('AbCdEfGh');
});

it('a list without open items is not shown, nor that of a session before the last one', () => {
  use('TodoWrite', { todos: [todo('Ship it')] });
  use('TodoWrite', { todos: [todo('Ship it', 'completed'), todo('Dropped', 'cancelled')] });
  expect(section()).toEqual([]);
  use('TodoWrite', { todos: [todo('Ship it')] });
  hook('prompt', { session_id: 's2', prompt: 'hello' });
  expect(section()).toHaveLength(2);
  use('Bash', { command: 'npm test' }, { session_id: 's2' });
  expect(section()).toEqual([]);
});

it.each([
  ['codex', 'update_plan', { plan: [{ step: 'Fix it', status: 'pending' }] }],
  ['opencode', 'todowrite', { todos: [{ id: '1', content: 'Fix it', status: 'pending', priority: 'high' }] }],
  ['gemini', 'write_todos', { todos: [{ description: 'Fix it', status: 'pending' }] }],
])('the list of %s is recorded', (host, tool_name, tool_input) => {
  hook('tool-success', { tool_name, tool_input }, host);
  expect(section()).toEqual(['To-do list of the last session, open items:', '- Fix it (AGE)']);
});

it('the brief shows the first twelve items of a long list, and how many there are', () => {
  use('TodoWrite', {
    todos: Array.from({ length: 40 }, (_, index) => todo(`Step ${index} ${'x'.repeat(900)}`)),
  });
  const [title, ...items] = section();
  expect(title).toBe('To-do list of the last session, the first 12 of 40 open items:');
  expect(items.join('\n').length).toBeLessThan(3000);
});
