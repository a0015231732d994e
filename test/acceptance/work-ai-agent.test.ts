import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startLlmServer, type LlmServer } from '../fixtures/llm-server.ts';
import { scriptModel, type ModelStep } from '../fixtures/script-model.ts';
import { ROOT, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';
import { workspaceCapabilities } from '../fixtures/workspace-modes.ts';

/** Work items with a prompt file as agent, and a model server over HTTP. */
// Each test starts deed many times, which is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const KEY = 'sk-test-0123456789abcdefghij';
const { sandboxed } = workspaceCapabilities;
const FRONTMATTER = ['models: p/gpt-4o', 'toolingTransport: native', 'maxRetries: 1'];
let server: LlmServer;
let bench: WorkBench;

beforeEach(async () => {
  server = await startLlmServer();
  open();
});
afterEach(async () => {
  bench.dispose();
  await server.close();
});

function open(settings: Record<string, unknown> = {}): void {
  bench = createBench(settings);
  mkdirSync(join(bench.home, '.ai-agent'));
  writeFileSync(join(bench.home, '.ai-agent/ai-agent.json'), JSON.stringify(providers()));
  agent('agents/fix.ai', 'You fix things.');
}

/** Uses a provider without a tokenizer by default, because loading one dominates the run time. */
const providers = (type = 'openai-compatible'): object => ({
  providers: { p: { type, mode: 'chat', apiKey: KEY, baseUrl: `${server.url}/v1` } },
});

function agent(path: string, prompt: string, frontmatter: readonly string[] = FRONTMATTER): void {
  bench.write(path, ['---', ...frontmatter, '---', prompt, ''].join('\n'));
}

const task = (more: Record<string, unknown> = {}): Record<string, unknown> =>
  item('x', 'Make one into two.', { agent_id: 'agents/fix.ai', ...more });

/** A call that asks no model, so that the server in this process need not answer meanwhile. */
const preview = (work: Record<string, unknown>): Run =>
  bench.deed(['work', 'run', bench.plan(work), '--dry-run']);

async function run(steps: readonly ModelStep[], more: Record<string, unknown> = {}): Promise<Run> {
  scriptModel(server, steps);
  return bench.workAsync(task(more));
}

const EDIT: ModelStep = { calls: [['edit', { path: 'a.txt', old_text: 'one', new_text: 'two' }]] };
const DONE: ModelStep = { report: 'Done.' };

const runIds = (): string[] =>
  existsSync(join(bench.home, 'runs'))
    ? readdirSync(join(bench.home, 'runs')).filter((name) => name.startsWith('run_'))
    : [];
const folderOf = (id: string): string => join(bench.home, 'runs', id);
const receiptOf = (
  id: string,
): { code: string; tool_trace: { name: string; status: string; error?: string; output?: string }[] } =>
  JSON.parse(readFileSync(join(folderOf(id), 'RECEIPT.json'), 'utf8')) as never;
const traceOf = (id: string): string[] =>
  receiptOf(id).tool_trace.map(({ name, status }) => `${name} ${status}`);

/** Returns the running processes of a run. */
function processesOf(id: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`DEED_RUN_ID=${id}`)
      );
    } catch {
      return false;
    }
  });
}

describe('an item whose agent is a prompt file', () => {
  it('is run by its agent, promoted, signed, and replayed exactly without the agent files', async () => {
    // agent-providers.test.ts runs a session with a tokenizer in the short suite too.
    if (LONG) writeFileSync(join(bench.home, '.ai-agent/ai-agent.json'), JSON.stringify(providers('openai')));
    const result = await run(
      [
        {
          calls: [
            ['list', {}],
            ['read', { path: 'a.txt' }],
            ['search', { pattern: 'two' }],
          ],
        },
        { calls: [['edit', { path: 'a.txt', old_text: 'one', new_text: 'three' }]] },
        { calls: [['run', { command: 'sort a.txt b.txt > sorted.txt && wc -l sorted.txt' }]] },
        { calls: [['write', { path: 'docs/new/note.md', content: '# Note\n' }]] },
        DONE,
      ],
      { output_files: ['docs/new/note.md'], test_command: 'grep -q three sorted.txt' },
    );
    expect(result.envelope.error).toBeUndefined();
    const [id = ''] = runIds();
    expect(result.envelope.data.results[0]).toMatchObject({
      run_id: id,
      status: 'success',
      metrics: { tool_ops_count: 6 },
    });
    expect([bench.read('a.txt'), bench.read('sorted.txt'), bench.read('docs/new/note.md')]).toEqual([
      'three\n',
      'three\ntwo\n',
      '# Note\n',
    ]);
    expect(traceOf(id)).toEqual(
      ['list', 'read', 'search', 'edit', 'run', 'write'].map((name) => `workspace__${name} success`),
    );
    const [first] = server.requests;
    const [system, user] = (first?.body.messages ?? []) as { content: string }[];
    expect(first?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(user?.content).toContain('Make one into two.');
    for (const expected of [
      'You fix things.',
      'work item "x"',
      'at most 50 calls',
      '300 seconds',
      'docs/new/note.md',
      'grep -q three',
    ])
      expect(system?.content).toContain(expected);
    expect(bench.deed(['receipt', 'verify', '--id', id]).envelope.data).toEqual({
      checked: 1,
      valid: true,
    });
    const shown = bench.deed(['work', 'show', id, '--fields', 'budget']);
    expect(shown.envelope.data.budget.agent).toMatchObject({ models: ['p/gpt-4o'], requests: 5, turns: 5 });
    const ledger = readFileSync(join(bench.home, 'accounting.jsonl'), 'utf8');
    expect(ledger.split('\n').filter((line) => line.includes('"type":"llm"'))).toHaveLength(5);

    await server.close();
    rmSync(join(bench.tree, 'agents'), { recursive: true });
    rmSync(join(bench.home, '.ai-agent'), { recursive: true });
    const before = bench.readTree();
    const replay = bench.deed(['work', 'replay', id]);
    expect(replay.envelope.data).toMatchObject(
      sandboxed ? { grade: 'exact', matches: true, reason: null } : { grade: 'apply', matches: true },
    );
    expect(bench.readTree()).toEqual(before);
    expect(processesOf(id)).toEqual([]);
    for (const name of readdirSync(folderOf(id)))
      expect(readFileSync(join(folderOf(id), name), 'utf8')).not.toContain(KEY);
    expect(readFileSync(join(bench.home, 'accounting.jsonl'), 'utf8')).toBe(ledger);
    server = await startLlmServer();
  });

  describe('that does not succeed', () => {
    const outcomes = new Map<string, { status: string; code: string; message: string; trace: string[] }>();
    // One job for all of them, each with its own model, because starting deed takes most of the time.
    beforeAll(async () => {
      server = await startLlmServer();
      open();
      const broken = await startLlmServer();
      const provider = { type: 'openai-compatible', mode: 'chat', apiKey: KEY, baseUrl: `${broken.url}/v1` };
      const config = providers() as { providers: object };
      writeFileSync(
        join(bench.home, '.ai-agent/ai-agent.json'),
        JSON.stringify({ providers: { ...config.providers, broken: provider } }),
      );
      const items: Record<string, [steps: readonly ModelStep[], constraints: object]> = {
        files: [[{ calls: ['n1', 'n2', 'd/n3'].map(write) }, DONE], { max_files: 2 }],
        calls: [
          [{ calls: [1, 2, 3].map((n) => ['run', { command: `echo ${n} >> log.txt; cat log.txt` }]) }, DONE],
          { max_tool_ops: 2 },
        ],
        time: [
          [
            { calls: [['run', { command: 'setsid sleep 4711 & echo x > c.txt; trap "" TERM; sleep 4712' }]] },
            DONE,
          ],
          { timeout_ms: 3000 },
        ],
        tools: [[EDIT, { calls: [['run', { command: 'kill -9 $PPID; sleep 60' }]] }, DONE], {}],
        model: [[EDIT, DONE], {}],
      };
      const plan = Object.entries(items).map(([id, [steps, constraints]]) => {
        const name = id === 'model' ? 'broken' : 'p';
        scriptModel(id === 'model' ? broken : server, steps, id);
        agent(`agents/${id}.ai`, 'You fix things.', [
          `models: ${name}/${id}`,
          'toolingTransport: native',
          'maxRetries: 1',
          'maxTurns: 3',
        ]);
        return { ...task({ agent_id: `agents/${id}.ai`, constraints }), id };
      });
      const before = bench.readTree();
      // The first response of the broken server is complete; all later connections are reset.
      const resets = Array.from({ length: 20 }, () => ({ after: 40, end: 'reset' }) as const);
      broken.failNext({ after: 100_000, end: 'close' }, ...resets);
      const { envelope } = await bench.workAsync(plan, '--jobs', '5');
      await broken.close();
      for (const { item_id, run_id, status, denial_reason, error } of envelope.error?.details.results ?? []) {
        const { code } = receiptOf(run_id);
        outcomes.set(item_id, { status, code, message: denial_reason ?? error, trace: traceOf(run_id) });
        expect(processesOf(run_id)).toEqual([]);
      }
      expect(bench.readTree()).toEqual(before);
      expect(server.requests.filter(({ body }) => body.model === 'calls')).toHaveLength(1);
      bench.dispose();
      await server.close();
    });
    const write = (path: string): readonly [string, object] => ['write', { path, content: path }];

    it('is denied when it changes too many files', () => {
      expect(outcomes.get('files')).toMatchObject({
        status: 'denied',
        code: 'E_DENIED',
        message: 'Exceeded max files: 3 > 2',
      });
    });

    it('is stopped at its first call beyond the limit, which is not executed', () => {
      const outcome = outcomes.get('calls');
      expect(outcome).toMatchObject({ code: 'E_DENIED', message: 'Exceeded max tool ops: 3 > 2' });
      expect(outcome?.trace).toHaveLength(3);
      expect(outcome?.trace[2]).not.toBe('workspace__run success');
    });

    it('is terminated with all its processes at its timeout', () => {
      expect(outcomes.get('time')).toMatchObject({ status: 'timeout', code: 'E_TIMEOUT' });
    });

    it('fails and is rolled back when the model is unreachable', () => {
      expect(outcomes.get('model')).toMatchObject({
        code: 'E_AGENT_FAILED',
        message: expect.stringContaining('The agent failed: '),
        trace: ['workspace__edit success'],
      });
    });

    it('fails when one of its commands kills the tool process', () => {
      expect(outcomes.get('tools')).toMatchObject({
        code: 'E_AGENT_FAILED',
        message: expect.stringContaining('The workspace tools exited'),
      });
    });
  });
});

describe('an agent that accesses files outside its workspace', () => {
  it('reads nothing, changes nothing, and leaves no process running', async () => {
    mkdirSync(join(bench.home, '.ssh'));
    writeFileSync(join(bench.home, '.ssh/id_test'), 'PRIVATE-SSH');
    writeFileSync(join(bench.gate, 'outside.txt'), 'PRIVATE-FILE');
    symlinkSync(bench.gate, join(bench.tree, 'folder-out'));
    symlinkSync(join(bench.gate, 'outside.txt'), join(bench.tree, 'file-out'));
    symlinkSync(join(bench.gate, 'new.txt'), join(bench.tree, 'dangling'));
    const before = bench.readTree();
    const paths = [
      '../gate/outside.txt',
      join(bench.gate, 'outside.txt'),
      'folder-out/outside.txt',
      'file-out',
      'dangling',
      '.git/config',
    ];
    const calls = [
      ...paths.flatMap((path) => [
        ['read', { path }] as const,
        ['write', { path, content: 'x' }] as const,
        ['edit', { path, old_text: 'PRIVATE', new_text: 'x' }] as const,
      ]),
      ['list', { path: '..' }] as const,
      ['list', { path: 'folder-out' }] as const,
      ['search', { pattern: 'PRIVATE', path: '..' }] as const,
    ];
    const commands = [
      'cat ~/.ssh/id_test',
      `cat ${bench.home}/config.json`,
      `echo x > ${bench.gate}/outside.txt`,
      'setsid sleep 4713 >/dev/null 2>&1 & (sleep 4714 &) ; exit 3',
    ];
    const result = await run(
      [
        { calls: calls.slice(0, 10) },
        { calls: calls.slice(10, 20) },
        { calls: calls.slice(20) },
        ...(sandboxed ? [{ calls: commands.map((command) => ['run', { command }] as const) }] : []),
        DONE,
      ],
      { constraints: { max_tool_ops: 100 } },
    );
    expect(result.envelope.error).toBeUndefined();
    const [id = ''] = runIds();
    const trace = receiptOf(id).tool_trace;
    expect(trace.slice(0, calls.length).map(({ status }) => status)).toEqual(calls.map(() => 'error'));
    for (const { error } of trace.slice(0, calls.length))
      expect(error).toMatch(
        /outside the tree|out of the tree through a link|a file that does not exist|belongs to git/u,
      );
    for (const { output } of trace.slice(calls.length)) expect(output).toMatch(/^exit code [123]\b/u);
    expect(JSON.stringify(trace)).not.toContain('PRIVATE-');
    expect(readFileSync(join(bench.gate, 'outside.txt'), 'utf8')).toBe('PRIVATE-FILE');
    expect(existsSync(join(bench.gate, 'new.txt'))).toBe(false);
    expect(bench.readTree()).toEqual(before);
    expect(processesOf(id)).toEqual([]);
  });

  it('is a file of the tree: a leading slash means the root of the tree', () => {
    const outside = join(bench.gate, 'outside.ai');
    writeFileSync(outside, '---\nmodels: unknown/x\n---\nPRIVATE-PROMPT');
    const rejected = preview(task({ agent_id: outside }));
    expect(rejected.envelope.error).toMatchObject({
      code: 'E_CONFIG',
      message: `${join(bench.tree, outside)} does not exist.`,
    });
    agent('agents/fix.ai', 'You are careful.');
    expect(preview(task({ agent_id: '/agents/fix.ai' })).envelope.error).toBeUndefined();
  });

  it('cannot include files through its prompt', () => {
    writeFileSync(join(bench.gate, 'secret.txt'), 'PRIVATE-FILE');
    for (const target of [join(bench.gate, 'secret.txt'), '../../gate/secret.txt', '../link']) {
      if (target === '../link') symlinkSync(join(bench.gate, 'secret.txt'), join(bench.tree, 'link'));
      agent('agents/fix.ai', `Read this: \${include:${target}}`);
      expect(bench.work(task()).envelope.error).toMatchObject({
        code: 'E_CONFIG',
        message: expect.stringContaining('which is outside'),
      });
    }
    expect(server.requests).toEqual([]);
  });

  it('is rejected when it uses configured tools', () => {
    agent('agents/fix.ai', 'You fix things.', [...FRONTMATTER, 'tools: every']);
    expect(bench.work(task()).envelope.error).toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('uses every, which act outside the workspace'),
    });
    expect(runIds()).toEqual([]);
  });
});

describe('the recording of a run', () => {
  it.runIf(LONG)(
    'reports where a replay differs, and is rejected by verify and replay when a byte was changed',
    async () => {
      await run([{ calls: [['run', { command: 'date +%s%N' }]] }, EDIT, DONE]);
      const [id = ''] = runIds();
      const replayed = await bench.deedAsync(['work', 'replay', id]);
      expect(replayed.envelope.data).toMatchObject({
        grade: 'apply',
        matches: true,
        ...(sandboxed && {
          divergence: 'p/gpt-4o received a different request: message 4 (result of workspace__run) differs',
        }),
      });
      const file = join(folderOf(id), 'cassette.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace('Done.', 'Dune.'));
      const verified = await bench.deedAsync(['receipt', 'verify', '--id', id]);
      expect(verified.envelope.error?.code).toBe('E_DAMAGED');
      expect(JSON.stringify(verified.envelope.error)).toContain('cassette.json');
      const changed = await bench.deedAsync(['work', 'replay', id]);
      expect(changed.envelope.error).toMatchObject({
        code: 'E_DAMAGED',
        details: { path: expect.stringMatching(/cassette\.json$/u) },
      });
      rmSync(file);
      expect((await bench.deedAsync(['work', 'replay', id])).envelope.error).toMatchObject({
        code: 'E_DAMAGED',
      });
    },
  );

  it.runIf(LONG && sandboxed)(
    'contains failed attempts, and a replay does not wait for rate limits',
    async () => {
      agent('agents/fix.ai', 'You fix things.', [
        'models: p/gpt-4o',
        'toolingTransport: native',
        'maxRetries: 3',
      ]);
      scriptModel(server, [EDIT, DONE]);
      const plan = bench.plan(task());
      const token = (await bench.deedAsync(['work', 'run', plan, '--dry-run'])).envelope.data
        .confirm_token as string;
      server.failNext({ after: 40, end: 'reset' }, { status: 429, headers: { 'retry-after': '0.2' } });
      expect(
        (await bench.deedAsync(['work', 'run', plan, '--confirm', token])).envelope.error,
      ).toBeUndefined();
      expect(server.requests).toHaveLength(4);
      const replayed = await bench.deedAsync(['work', 'replay', runIds()[0] ?? '']);
      expect(replayed.envelope.data).toMatchObject({ grade: 'exact' });
    },
  );
});

describe('an agent with a scripted model', () => {
  const useScripts = (agents: Record<string, { path: string; frontmatter: readonly string[] }>): void => {
    const scripts = Object.entries(agents).map(([name, { path, frontmatter }]) => {
      const steps = [
        { toolCalls: [{ name: 'workspace__read', arguments: { path } }] },
        {
          toolCalls: [
            { name: 'workspace__edit', arguments: { path, old_text: 'o', new_text: '0' } },
            { name: 'workspace__run', arguments: { command: `cat ${path}` } },
          ],
        },
        { report: 'Done.' },
      ];
      const file = join(bench.gate, `${name}.json`);
      writeFileSync(file, JSON.stringify({ steps }));
      agent(`agents/${name}.ai`, 'It is ${DATETIME} in ${TIMEZONE}.', [
        `models: ${name}/any`,
        ...frontmatter,
      ]);
      return [name, { type: 'script', file }];
    });
    writeFileSync(
      join(bench.home, '.ai-agent/ai-agent.json'),
      JSON.stringify({ providers: Object.fromEntries(scripts), defaults: { tools: ['elsewhere'] } }),
    );
  };

  // The tests of the agent use these transports without work.
  it.runIf(LONG)('works and replays over the transports xml-final and xml', async () => {
    useScripts({
      final: { path: 'a.txt', frontmatter: ['toolingTransport: xml-final'] },
      xml: { path: 'b.txt', frontmatter: ['toolingTransport: xml'] },
    });
    const items = ['final', 'xml'].map((id) => ({ ...task({ agent_id: `agents/${id}.ai` }), id }));
    const { envelope } = await bench.workAsync(items);
    expect(envelope.error).toBeUndefined();
    expect([bench.read('a.txt'), bench.read('b.txt')]).toEqual(['0ne\n', 'tw0\n']);
    await Promise.all(
      envelope.data.results.map(async ({ run_id }: { run_id: string }) => {
        expect((await bench.deedAsync(['work', 'replay', run_id])).envelope.data).toMatchObject(
          sandboxed ? { grade: 'exact' } : { grade: 'apply' },
        );
        const { plan } = JSON.parse(readFileSync(join(folderOf(run_id), 'cassette.json'), 'utf8')) as {
          plan: { config: { systemPrompt: string } };
        };
        expect(plan.config.systemPrompt).toMatch(/^It is [\dT:-]+\.000Z in UTC\./u);
      }),
    );
  });

  it.runIf(LONG)('runs detached, and its recording can be replayed by another agent', async () => {
    useScripts({ fix: { path: 'a.txt', frontmatter: [] } });
    const started = await bench.workAsync(task(), '--detach');
    const { job_id: job } = started.envelope.data as { job_id: string };
    await bench.ended(job);
    expect((await bench.deedAsync(['work', 'status', '--id', job])).envelope.data.status).toBe('succeeded');
    expect(bench.read('a.txt')).toBe('0ne\n');
    const file = join(folderOf(runIds()[0] ?? ''), 'cassette.json');
    writeFileSync(
      join(bench.home, '.ai-agent/ai-agent.json'),
      JSON.stringify({ providers: { fix: { type: 'script', file } } }),
    );
    bench.write('a.txt', 'one, again\n');
    expect((await bench.workAsync({ ...task(), id: 'again' })).envelope.error).toBeUndefined();
    expect(bench.read('a.txt')).toBe('0ne, again\n');
  });
});

describe('a confirm token', () => {
  it('covers the content of the agent’s files and its configuration', () => {
    agent('agents/fix.ai', 'You fix things. ${include:rules.md}', [...FRONTMATTER, 'agents: helper.ai']);
    agent('agents/helper.ai', 'You help.', ['description: helps']);
    bench.write('agents/rules.md', 'Be kind.');
    const config = join(bench.home, '.ai-agent/ai-agent.json');
    const changes: (() => void)[] = [
      () =>
        agent('agents/fix.ai', 'You break things. ${include:rules.md}', [
          ...FRONTMATTER,
          'agents: helper.ai',
        ]),
      () => agent('agents/helper.ai', 'You hinder.', ['description: helps']),
      () => bench.write('agents/rules.md', 'Be rude.'),
      () => writeFileSync(config, JSON.stringify({ ...providers(), defaults: { temperature: 1 } })),
    ];
    for (const change of changes) {
      const plan = bench.plan(task());
      const token = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data.confirm_token as string;
      change();
      expect(bench.deed(['work', 'run', plan, '--confirm', token]).envelope.error?.code).toBe('E_CONFLICT');
    }
    expect(server.requests).toEqual([]);
  });

  it('covers later items: an earlier one cannot rewrite their agent', async () => {
    scriptModel(server, [
      { calls: [['edit', { path: 'agents/fix.ai', old_text: 'fix', new_text: 'BREAK' }]] },
      DONE,
    ]);
    const second = { ...task({ dependencies: ['x'] }), id: 'y', description: 'Now you.' };
    agent('agents/first.ai', 'First.');
    await bench.workAsync([task({ agent_id: 'agents/first.ai' }), second]);
    expect(bench.read('agents/fix.ai')).toContain('BREAK');
    expect(JSON.stringify(server.requests.map(({ body }) => body.messages[0]))).not.toContain('You BREAK');
  });
});

describe('a configured agent', () => {
  it('gets its file and settings from work.agents, and its sub-agents have the same tools', async () => {
    bench.dispose();
    open({
      'work.agents': { fixer: { kind: 'builtin', options: { file: 'agents/fix.ai', models: ['p/big'] } } },
    });
    agent('agents/fix.ai', 'You lead.', [...FRONTMATTER, 'agents: helper.ai']);
    agent('agents/helper.ai', 'You help.', [
      'description: helps',
      'models: p/small',
      'toolingTransport: native',
    ]);
    scriptModel(
      server,
      [{ calls: [['agent__helper', { prompt: 'Edit it.' }]] }, { report: 'It helped.' }],
      'big',
    );
    scriptModel(server, [EDIT, { report: 'Edited.' }], 'small');
    const result = await bench.workAsync(task({ agent_id: 'fixer' }));
    expect(result.envelope.error).toBeUndefined();
    expect(bench.read('a.txt')).toBe('two\n');
    const [id = ''] = runIds();
    expect(traceOf(id)).toEqual(['workspace__edit success']);
    expect(bench.deed(['work', 'replay', id]).envelope.data.grade).toBe(sandboxed ? 'exact' : 'apply');
  });

  it('is rejected before anything runs if its options are invalid', () => {
    const rows: Record<string, [options: object, message: RegExp]> = {
      empty: [{}, /file/u],
      extension: [{ file: 'agents/fix.txt' }, /must be a \.ai file/u],
      missing: [{ file: 'agents/none.ai' }, /none\.ai does not exist/u],
      tools: [{ file: 'agents/fix.ai', tools: ['every'] }, /tools/u],
      models: [{ file: 'agents/fix.ai', models: ['unknown/x'] }, /Unknown provider: "unknown"/u],
    };
    bench.dispose();
    open({
      'work.agents': Object.fromEntries(
        Object.entries(rows).map(([name, [options]]) => [name, { kind: 'builtin', options }]),
      ),
    });
    for (const [agent_id, [, message]] of Object.entries(rows)) {
      expect(preview(task({ agent_id })).envelope.error, agent_id).toMatchObject({
        code: 'E_CONFIG',
        message: expect.stringMatching(message),
      });
    }
  });

  // The tests of work use a copy with other agents.
  it.runIf(LONG)('works on a copy of the tree when configured', async () => {
    bench.dispose();
    open({ 'work.workspace': 'copy' });
    expect((await run([EDIT, DONE])).envelope.error).toBeUndefined();
    expect(bench.read('a.txt')).toBe('two\n');
    const replayed = await bench.deedAsync(['work', 'replay', runIds()[0] ?? '']);
    expect(replayed.envelope.data.grade).toBe(sandboxed ? 'exact' : 'apply');
  });

  it.runIf(LONG)('works in the library', async () => {
    scriptModel(server, [EDIT, DONE]);
    // In a separate process, because the test runner would transform every module of the build.
    const program = `
      const { executeWorkItem } = await import(${JSON.stringify(join(ROOT, 'dist/lib/work.js'))});
      const result = await executeWorkItem(${JSON.stringify(task())}, ${JSON.stringify({ root: bench.tree, home: bench.home })});
      console.log(JSON.stringify(result));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { PATH: process.env.PATH, HOME: bench.home } },
    );
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', metrics: { tool_ops_count: 1 } });
    expect(bench.read('a.txt')).toBe('two\n');
  });
});
