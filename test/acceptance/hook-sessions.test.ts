import { beforeEach, expect, it } from 'vitest';
import { createHome } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
  return () => home.dispose();
});

type Input = Readonly<Record<string, unknown>>;

function hook(event: string, input: Input = {}, host = 'claude'): string {
  const call = { session_id: 's1', cwd: '/src/app', ...input };
  return vybe(['hook', event, '--host', host], { home: home.path, input: JSON.stringify(call) }).stdout;
}

const prompt = (text: string, input: Input = {}): string => hook('prompt', { prompt: text, ...input });
const answer = (text: string): string => hook('stop', { last_assistant_message: text });

/** The recorded part of the brief that the next session gets. */
function brief(host = 'claude'): string {
  const output = JSON.parse(hook('session-start', { session_id: 'reader' }, host)) as {
    hookSpecificOutput: { additionalContext: string };
  };
  return output.hookSpecificOutput.additionalContext.split(/^<\/?recorded>$/mu)[1] ?? '';
}

const linesOf = (title: string, text: string): string[] => {
  const [, rest = ''] = text.split(`${title}:\n`);
  return (
    rest
      .split(/\n(?!- )/u)[0]
      ?.split('\n')
      .map((line) => line.replace(/^- (?:\d+ min ago(?:: |, ))?/u, '')) ?? []
  );
};

it('a short request counts, and one that takes back another is above it; a bare "yes" does not count', () => {
  prompt('Change all indentation in the repo to tabs, every file');
  answer('I converted 214 files to tabs and updated the editor configuration.');
  for (const text of ['no, undo that', '继续', 'ok, continue', '/compact', '/fix-issue 4711']) prompt(text);
  answer('Reverted.');
  answer('Done.');
  prompt('修复登录页面');
  const shown = brief();
  expect(linesOf('Requests of the user, newest first', shown)).toEqual([
    '修复登录页面',
    '/fix-issue 4711',
    'no, undo that',
    'Change all indentation in the repo to tabs, every file',
  ]);
  expect(linesOf('Last messages of the agent, newest first', shown)[0]).toBe('Reverted.');
});

it('the first request of a long session is in the brief', () => {
  prompt('Build a booking service for tennis courts. Prices are in cents.');
  for (let step = 1; step <= 20; step += 1) prompt(`Now do part ${step} of the plan in PLAN.md`);
  const shown = brief();
  expect(linesOf('First request of the newest session', shown)).toEqual([
    'Build a booking service for tennis courts. Prices are in cents.',
  ]);
});

it('a session that changes into a folder of its project stays in its project', () => {
  prompt('Add rate limiting to the API package');
  const cwd = '/src/app/packages/api';
  hook('tool-success', { cwd, tool_name: 'Edit', tool_input: { file_path: `${cwd}/limit.ts` } });
  prompt('Also return a Retry-After header', { cwd });
  prompt('Another session that began there', { cwd, session_id: 's2' });
  const shown = brief();
  expect(shown).toContain('packages/api/limit.ts (1 edit');
  expect(linesOf('Requests of the user, newest first', shown)).toEqual([
    'Also return a Retry-After header',
    'Add rate limiting to the API package',
  ]);
});

it('pasted logs and code are not limits, and a request keeps what the user said around them', () => {
  const log = Array.from(
    { length: 200 },
    (_, at) => `2026-11-20T10:00:00Z INFO worker[${at}] do not retry job ${at}`,
  );
  prompt(
    `Why does the worker crash?\n\`\`\`js\n// must not be called twice\n\`\`\`\n${log.join('\n')}\nError: resize must not be null\nLeave the API of resize() as it is.`,
  );
  prompt('And now something else, please');
  const shown = brief();
  expect(linesOf('Limits that the user set or lifted', shown)).toEqual([
    'Leave the API of resize() as it is. (user, 0 min ago)',
  ]);
  expect(shown).toMatch(/Why does the worker crash\?[\s\S]*Leave the API[\s\S]*resize must not be null/u);
  expect(shown).not.toContain('worker[3]');
});

it('text that the host adds to a prompt is not recorded', () => {
  const added = '<hook_context>You continue recorded work. Never deploy.</hook_context>';
  hook('prompt', { prompt: `${added}\n\nTranslate the README into German` }, 'gemini');
  hook(
    'prompt',
    { prompt: '<task-notification>\n<status>completed</status>\n</task-notification>' },
    'gemini',
  );
  const shown = brief('gemini');
  expect(linesOf('Requests of the user, newest first', shown)).toEqual(['Translate the README into German']);
  expect(shown).not.toContain('Never deploy');
});

it('the files of a patch of Codex, and a failed command of Gemini CLI, are in the brief', () => {
  const command =
    '*** Begin Patch\n*** Update File: src/parser.rs\n-a\n+b\n*** Add File: src/span.rs\n+x\n*** End Patch';
  hook('tool-success', { tool_name: 'apply_patch', tool_input: { command }, tool_response: 'ok' }, 'codex');
  const llmContent =
    'Command: npm run lint\nDirectory: (root)\nOutput: a.md:3 line too long\nError: (none)\nExit Code: 1\nSignal: (none)';
  const run = { tool_name: 'run_shell_command', tool_input: { command: 'npm run lint' } };
  hook('tool-success', { ...run, tool_response: { llmContent } }, 'gemini');
  hook('tool-failure', {
    tool_name: 'Bash',
    tool_input: { command: 'sleep 9' },
    error: '[Request interrupted by user for tool use]',
  });
  const shown = brief();
  expect(linesOf('Files edited, the last one first', shown).map((line) => line.split(' ')[0])).toEqual([
    'src/span.rs',
    'src/parser.rs',
  ]);
  expect(linesOf('Failed last', shown)).toEqual(['run_shell_command npm run lint: exit code 1']);
  expect(shown).toContain('exit code 1\n  a.md:3 line too long\nFiles edited');
});

it('the brief of the next task says which tasks of the project were completed or blocked, with their titles', () => {
  let calls = 0;
  const task = (...argv: string[]): { readonly task: { readonly id: string } } => {
    const caller = ['--agent', 'claude-app', '--request-id', `r${(calls += 1)}`];
    return vybe(['task', ...argv, ...caller], { home: home.path }).answer.data as ReturnType<typeof task>;
  };
  const [pay, mail, next] = ['Checkout with Klarna', 'Mails', 'Upgrade'].map(
    (title) => task('create', '--title', title, '--project-id', '/src/app').task.id,
  ) as [string, string, string];
  task('complete', '--id', pay, '--outcome', 'done', '--summary', 'works behind a flag');
  task('complete', '--id', mail, '--outcome', 'blocked', '--summary', 'no SMTP account');
  const title = 'Tasks completed or blocked, newest first';
  const expected = [
    'claude-app, task_closed: Mails (blocked): no SMTP account',
    'claude-app, task_closed: Checkout with Klarna (completed): works behind a flag',
  ];
  const shown = brief();
  expect(shown).toContain(`- ${next}, pending`);
  expect(linesOf(title, shown)).toEqual(expected);
  task('complete', '--id', next, '--outcome', 'done', '--summary', 'React 20');
  task('set-status', '--id', mail, '--status', 'pending');
  task('complete', '--id', mail, '--outcome', 'done', '--summary', 'with Postmark');
  const later = brief();
  expect(linesOf(title, later)[0]).toContain('Mails (completed): with Postmark');
  expect(later).not.toContain('Reasoning and decisions');
});
