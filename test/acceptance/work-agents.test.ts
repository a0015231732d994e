import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkAgents } from '../../src/work/executors/agent-config.ts';
import { ROOT, type Run } from '../fixtures/run-deed.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

interface ReceiptView {
  readonly tool_source: string;
  readonly tool_trace: {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly error?: string;
  }[];
}

/** A script that prints these events, as an agent's program does, and then runs its commands. */
const prints = (events: readonly object[], then = ''): string =>
  `${events.map((event) => `echo '${JSON.stringify(event)}'`).join('\n')}\n${then}\n`;

describe('an agent of the kind', () => {
  let bench: WorkBench;
  beforeAll(() => {
    const argv = ['/bin/sh', '-s'];
    bench = createBench({
      'work.agents': {
        claude: { kind: 'claude', argv },
        codex: { kind: 'codex', argv },
        withArguments: {
          kind: 'command',
          argv: [
            '/bin/sh',
            '-c',
            'echo "$0 $1" > words.txt; cat > stdin.txt; cat "$DEED_ITEM" > item.txt',
            '{id}',
            '{description}',
          ],
        },
        withEnvironment: { kind: 'command', argv: ['/bin/sh', '-s'], env: ['ALLOWED'] },
      },
    });
  });
  beforeEach(() => bench.reset());
  afterAll(() => bench.dispose());
  const receiptOf = (run: Run): ReceiptView => {
    const { receipt_path } = (run.envelope.data ?? run.envelope.error?.details ?? {}).results[0] as {
      receipt_path: string;
    };
    return JSON.parse(readFileSync(receipt_path, 'utf8')) as ReceiptView;
  };

  it('claude has its tool calls counted from its event stream', () => {
    const use = (id: string, name: string) => ({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id, name, input: { x: 1 } }] },
    });
    const result = (id: string, is_error: boolean) => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, is_error, content: 'out' }] },
    });
    const events = [
      { type: 'system', subtype: 'init' },
      use('t1', 'Edit'),
      result('t1', false),
      use('t2', 'Bash'),
      result('t2', true),
      { type: 'result', subtype: 'success', is_error: false },
    ];
    const run = bench.work(item('x', prints(events, 'echo x > c.txt'), { agent_id: 'claude' }));
    expect(run.envelope.error).toBeUndefined();
    expect(run.envelope.data.results[0].metrics.tool_ops_count).toBe(2);
    const { tool_source, tool_trace } = receiptOf(run);
    expect(tool_source).toBe('stream-json events of claude');
    expect(tool_trace).toMatchObject([
      { id: 't1', name: 'Edit', status: 'success' },
      { id: 't2', name: 'Bash', status: 'error', error: 'out' },
    ]);
  });

  it('claude fails when it reports an error, regardless of its exit code', () => {
    const run = bench.work(
      item(
        'x',
        prints(
          [{ type: 'result', subtype: 'error_during_execution', is_error: true, result: 'gave up' }],
          'echo x > c.txt',
        ),
        { agent_id: 'claude' },
      ),
    );
    expect(run.envelope.error).toMatchObject({
      code: 'E_AGENT_FAILED',
      message: '"x": The agent failed: gave up',
    });
  });

  it('codex has its tool calls counted, and is stopped at its limit', () => {
    const started = (id: string) => ({
      type: 'item.started',
      item: { id, type: 'command_execution', command: 'ls', status: 'in_progress' },
    });
    const completed = (id: string) => ({
      type: 'item.completed',
      item: { id, type: 'command_execution', command: 'ls', status: 'completed', exit_code: 0 },
    });
    const message = { type: 'item.completed', item: { id: 'm', type: 'agent_message', text: 'hi' } };
    const events = [started('1'), completed('1'), message, started('2'), completed('2')];
    const fine = bench.work(item('x', prints(events, 'echo x > c.txt'), { agent_id: 'codex' }));
    expect(receiptOf(fine).tool_trace.map(({ id, status }) => `${id} ${status}`)).toEqual([
      '1 success',
      '2 success',
    ]);
    const over = bench.work(
      item('y', prints(events, 'sleep 600'), { agent_id: 'codex', constraints: { max_tool_ops: 1 } }),
    );
    expect(over.envelope.error).toMatchObject({
      code: 'E_DENIED',
      details: { denial_reason: 'Exceeded max tool ops: 2 > 1' },
    });
  });

  it('command gets its description on stdin, as an argument and in a file', () => {
    const run = bench.work(item('x', 'say "hi"', { agent_id: 'withArguments' }));
    expect(run.envelope.error).toBeUndefined();
    expect([bench.read('words.txt'), bench.read('stdin.txt'), JSON.parse(bench.read('item.txt'))]).toEqual([
      'x say "hi"\n',
      'say "hi"',
      expect.objectContaining({ id: 'x' }),
    ]);
  });

  it('command gets only allow-listed and configured environment variables', () => {
    const plan = bench.plan(
      item('x', 'env | cut -d= -f1 | sort > names.txt', { agent_id: 'withEnvironment' }),
    );
    const env = { ALLOWED: 'yes', OTHER: 'no', OPENAI_API_KEY: 'sk-none', NODE_OPTIONS: '--no-warnings' };
    const token = bench.deed(['work', 'run', plan, '--dry-run'], { env }).envelope.data
      .confirm_token as string;
    expect(bench.deed(['work', 'run', plan, '--confirm', token], { env }).code).toBe(0);
    const names = bench.read('names.txt').split('\n');
    expect(names).toEqual(
      expect.arrayContaining([
        'ALLOWED',
        'DEED_RUN_ID',
        'DEED_EVENTS',
        'DEED_ITEM',
        'TZ',
        'SOURCE_DATE_EPOCH',
      ]),
    );
    for (const name of ['OTHER', 'OPENAI_API_KEY', 'NODE_OPTIONS', 'VYBE_DB_PATH'])
      expect(names).not.toContain(name);
  });

  it('claude and codex are found on the PATH by default', () => {
    const other = createBench({ 'work.agents': { a: { kind: 'claude' }, b: { kind: 'codex' } } });
    try {
      for (const name of ['claude', 'codex']) {
        other.write(`bin/${name}`, `#!/bin/sh\necho "$*" > called-${name}.txt\ncat > stdin-${name}.txt\n`);
        chmodSync(join(other.tree, 'bin', name), 0o755);
      }
      const plan = other.plan([item('x', 'one', { agent_id: 'a' }), item('y', 'two', { agent_id: 'b' })]);
      const env = { PATH: `${join(other.tree, 'bin')}:${process.env.PATH}` };
      const token = other.deed(['work', 'run', plan, '--dry-run'], { env }).envelope.data
        .confirm_token as string;
      expect(other.deed(['work', 'run', plan, '--confirm', token], { env }).envelope.error).toBeUndefined();
      expect([other.read('stdin-claude.txt'), other.read('stdin-codex.txt')]).toEqual(['one', 'two']);
      expect(other.read('called-claude.txt')).toContain('-p --output-format stream-json --verbose');
      expect(other.read('called-codex.txt')).toContain('exec --json');
    } finally {
      other.dispose();
    }
  });
});

it('every configuration in docs/coding-agents.md is accepted', () => {
  const page = readFileSync(join(ROOT, 'docs/coding-agents.md'), 'utf8');
  const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gmu)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) checkAgents(JSON.parse(block) as Record<string, unknown>);
});

describe('an agent is checked', () => {
  let bench: WorkBench;
  beforeAll(() => {
    bench = createBench(
      {
        'work.agents': {
          claude: { kind: 'claude' },
          codex: { kind: 'codex', argv: ['/bin/sh', '-s'] },
          lost: { kind: 'command', argv: ['/no/such/program'] },
        },
      },
      { ownHome: true, env: { PATH: '/usr/bin:/bin' } },
    );
  });
  afterAll(() => bench.dispose());

  it('when it is configured: unknown kinds and members are refused with the valid ones', () => {
    const set = (agent: object) =>
      bench.deed(['config', 'set', 'work.agents', JSON.stringify({ a: agent }), '--dry-run']).envelope.error;
    expect(set({ kind: 'gemini' })).toMatchObject({
      code: 'E_VALIDATION',
      message: expect.stringContaining('agent "a"'),
      details: { hint: expect.stringContaining('command, claude, codex, builtin') },
    });
    expect(set({ kind: 'codex', model: 'x' })).toMatchObject({
      code: 'E_VALIDATION',
      details: { hint: expect.stringContaining('argv, args, env') },
    });
    expect(set({ kind: 'codex', args: ['-m', 'x'] })).toBeUndefined();
    const withText = (name: string) =>
      bench.deed(['config', 'set', 'work.agents', JSON.stringify({ [name]: 'text' }), '--dry-run']).envelope;
    // Editors read it.
    expect(withText('$schema').ok).toBe(true);
    expect(withText('a').error).toMatchObject({
      code: 'E_VALIDATION',
      message: expect.stringContaining('agent "a"'),
    });
  });

  it('by the dry run: its program must exist, and a missing sign-in is reported', () => {
    const preview = (agent_id: string, env = {}) =>
      bench.deed(['work', 'run', bench.plan(item('x', 'true', { agent_id })), '--dry-run'], { env });
    expect(preview('claude').envelope.error).toMatchObject({
      code: 'E_CONFIG',
      message: 'The program of agent "claude" is not in any folder of PATH: claude.',
      details: { hint: expect.stringContaining('npm install -g @anthropic-ai/claude-code') },
    });
    expect(preview('lost').envelope.error).toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('/no/such/program'),
    });
    const without = preview('codex');
    expect(without.envelope.data.preview.changes[0].after).toMatchObject({
      program: '/bin/sh',
      signed_in: false,
    });
    expect(without.stderr).toContain('Agent "codex" does not seem to be signed in');
    const signedIn = preview('codex', { CODEX_API_KEY: 'k' });
    expect(signedIn.envelope.data.preview.changes[0].after.signed_in).toBe(true);
    expect(signedIn.stderr).not.toContain('signed in');
  });

  it('and its own sign-in reaches its program, but not the tests of the item', () => {
    const env = { CODEX_API_KEY: 'a-key', OPENAI_API_KEY: 'other' };
    const plan = bench.plan(
      item('x', 'env | grep -c API_KEY= > keys.txt', {
        agent_id: 'codex',
        test_command: 'test "$(cat keys.txt)" = 1 && test -z "$CODEX_API_KEY"',
      }),
    );
    const token = bench.deed(['work', 'run', plan, '--dry-run'], { env }).envelope.data.confirm_token;
    expect(bench.deed(['work', 'run', plan, '--confirm', token], { env }).envelope.error).toBeUndefined();
  });
});

describe('a built-in agent of the library', () => {
  it('runs with the same guard, admission and receipt', async () => {
    const bench = createBench();
    try {
      const library = (await import(join(ROOT, 'dist/lib/work.js'))) as {
        executeWorkItem: (
          item: unknown,
          options: object,
        ) => Promise<{ status: string; metrics: object; denial_reason?: string }>;
      };
      const builtin = (options: { readonly text?: string }) => ({
        toolSource: 'a test',
        run: async ({
          workspace,
          env,
          onTool,
        }: {
          workspace: { spawn: Function };
          env: object;
          onTool: Function;
        }) => {
          for (const id of ['one', 'two'])
            onTool({ id, name: 'write', input: null, startTime: 'now', status: 'success' });
          const child = workspace.spawn(['/bin/sh', '-c', `echo ${options.text} > built.txt`], { env });
          child.stdout.resume();
          child.stderr.resume();
          child.stdin.end();
          await child.ended;
          return {};
        },
      });
      const options = {
        root: bench.tree,
        home: bench.home,
        agents: { mine: { kind: 'builtin', options: { text: 'hello' } } },
        builtin,
      };
      const run = (constraints: object) =>
        library.executeWorkItem({ id: 'x', agent_id: 'mine', description: 'd', constraints }, options);
      expect(await run({ max_tool_ops: 1 })).toMatchObject({
        status: 'denied',
        denial_reason: 'Exceeded max tool ops: 2 > 1',
      });
      expect(await run({})).toMatchObject({ status: 'success', metrics: { tool_ops_count: 2 } });
      expect(bench.read('built.txt')).toBe('hello\n');
    } finally {
      bench.dispose();
    }
  });

  it('is rejected by the executable without a prompt file', () => {
    const bench = createBench({ 'work.agents': { mine: { kind: 'builtin' } } });
    try {
      expect(bench.work(item('x', 'd', { agent_id: 'mine' })).envelope.error).toMatchObject({
        code: 'E_CONFIG',
      });
    } finally {
      bench.dispose();
    }
  });
});
