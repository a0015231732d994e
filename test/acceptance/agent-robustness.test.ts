import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { aiAgent, mcpServer, startAiAgent, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { ROOT, waitFor } from '../fixtures/run-deed.ts';
import { agentHere, deedHere } from '../fixtures/run-here.ts';
import { rowsOf } from '../fixtures/start-node.ts';

/** The executables where the environment fails: a killed runtime, a home that cannot be written, limits that cannot be enforced. */
const test = agentTest;

function configure({ server, folder }: AgentFixtures, more: object = {}): void {
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    mcpServers: { tool: mcpServer('faulty') },
    ...more,
  });
}

/** Returns the running processes whose environment contains a path. */
function processesOf(path: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const isRunning = !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return /^\d+$/u.test(pid) && isRunning && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(path);
    } catch {
      return false;
    }
  });
}

const hasToolResult = ({ messages }: { messages: { role: string }[] }): boolean =>
  messages.some(({ role }) => role === 'tool');

type Launched = { command: string; args: string[] };

/** Ways to start a server that put processes between it and the runtime. */
const LAUNCHERS: Readonly<Record<string, (folder: AgentFolder) => Launched>> = {
  'a program that ignores SIGTERM': (folder) => {
    const { command, args } = mcpServer('faulty');
    const script = folder.write(
      'launch.mjs',
      `import { spawn } from 'node:child_process';
process.on('SIGTERM', () => {});
const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));`,
    );
    return { command: join(ROOT, 'node_modules/.bin/node'), args: [script] };
  },
  npx: () => {
    const { command, args } = mcpServer('faulty');
    return { command: 'npx', args: ['--no', '-c', [command, ...args].join(' ')] };
  },
};

describe.concurrent('a killed runtime', () => {
  test.for(rowsOf(Object.keys(LAUNCHERS)))(
    'leaves its ledger and no process of a tool server behind %s',
    async (name, { server, folder }) => {
      configure({ server, folder }, { mcpServers: { tool: LAUNCHERS[name]?.(folder) } });
      // The server starts one process in its group and one in its own session, and never answers the second call.
      server.mock.on(
        { predicate: hasToolResult },
        { toolCalls: [{ name: 'tool__freeze', arguments: '{}' }] },
      );
      server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__spawn', arguments: '{}' }] });
      const flags = '--models p/any --tools tool --transport native --verbose'.split(' ');
      const child = startAiAgent(['You are a tester.', 'Continue.', ...flags], { folder });
      const ended = waitFor(child);
      await new Promise<void>((resolve) => {
        child.stderr?.on('data', (text: string) => {
          if (text.includes('tool__freeze')) resolve();
        });
      });
      const root = dirname(folder.path);
      expect(processesOf(root).length).toBeGreaterThanOrEqual(5);
      child.kill('SIGKILL');
      await ended;
      const until = Date.now() + 20_000;
      while (processesOf(root).length > 0 && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(processesOf(root)).toEqual([]);
      const ledger = readFileSync(join(folder.home, '.deed/accounting.jsonl'), 'utf8').trim().split('\n');
      expect(ledger.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
        'llm',
        'tool',
        'llm',
      ]);
    },
  );
});

describe.concurrent('a home that cannot be written', () => {
  test('still gives a report, with a warning', async ({ server, folder }) => {
    configure({ server, folder });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    writeFileSync(join(folder.home, 'file'), '');
    for (const home of [join(folder.home, 'file'), join(folder.home, 'file/inside'), '/proc/none']) {
      const run = await aiAgent(['s', 'u', '--models', 'p/any', '--max-turns', '1'], {
        folder,
        env: { DEED_HOME: home },
      });
      expect([run.code, run.stdout]).toEqual([0, 'All is well.\n']);
      expect(run.stderr).toContain('This call is not in the audit log');
    }
  });

  test('still refuses the run under deed', async ({ server, folder }) => {
    configure({ server, folder });
    mkdirSync(join(folder.home, '.deed'));
    writeFileSync(join(folder.home, '.deed/audit'), '');
    const run = await deedHere(
      ['agent', 'run', 's', 'u', '--models', 'p/any', '--config', '.ai-agent.json', '--dry-run'],
      {
        home: join(folder.home, '.deed'),
        cwd: folder.path,
      },
    );
    expect(run.envelope.ok).toBe(true);
    const token = run.envelope.data.confirm_token as string;
    const refused = await deedHere(
      ['agent', 'run', 's', 'u', '--models', 'p/any', '--config', '.ai-agent.json', '--confirm', token],
      { home: join(folder.home, '.deed'), cwd: folder.path },
    );
    expect([refused.envelope.error?.code, server.requests]).toEqual(['E_IO', []]);
  });
});

describe.concurrent('the system prompt', () => {
  test('may be standard input', async ({ server, folder }) => {
    configure({ server, folder });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const argv = ['-', 'Continue.', '--models', 'p/any', '--max-turns', '1'];
    expect((await aiAgent(argv, { folder, input: 'You are piped.\n' })).code).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body.messages[0])).toContain('You are piped.');
    const both = await aiAgent(['-', '-', '--models', 'p/any'], { folder, input: 'x' });
    expect([both.code, both.stderr.includes('only one can be read')]).toEqual([4, true]);
  });
});

describe.concurrent('limits that cannot be enforced', () => {
  test('are errors of the configuration: a cost without a price, frontmatter that is not closed', async ({
    server,
    folder,
  }) => {
    configure({ server, folder });
    const cost = await agentHere(['s', 'u', '--models', 'p/any', '--max-cost-usd', '0.5'], { folder });
    expect([cost.code, cost.stderr.includes('the price of p/any is unknown')]).toEqual([4, true]);
    folder.write('ask.ai', '---\nmaxTurns: 1\nmodels: p/any\nYou ask.');
    const open = await agentHere(['ask.ai', 'u'], { folder });
    expect([open.code, open.stderr.includes('is not closed')]).toEqual([4, true]);
    expect(server.requests).toEqual([]);
  });

  test('are errors of the tools: schemas that are invalid or larger than every context', async ({
    server,
    folder,
  }) => {
    configure({ server, folder }, { mcpServers: { tool: mcpServer('faulty', 'broken-schema') } });
    const broken = await agentHere(['s', 'u', '--models', 'p/any', '--tools', 'tool'], { folder });
    expect([broken.code, broken.stdout === '']).toEqual([5, false]);
    configure({ server, folder }, { defaults: { contextWindowBufferTokens: 10 } });
    server.mock.onMessage(/./u, { content: 'Without tools.' });
    const flags = '--models p/any --tools tool --context-window 700 --max-output-tokens 500'.split(' ');
    const warned = await agentHere(['s', 'u', ...flags], { folder });
    expect([warned.code, warned.stdout]).toEqual([0, 'Without tools.\n']);
    expect(warned.stderr).toContain('tokens, but a request may have at most 190');
    const home = join(folder.home, '.deed');
    const argv = ['agent', 'run', 's', 'u', ...flags, '--config', '.ai-agent.json'];
    const preview = await deedHere([...argv, '--dry-run'], { home, cwd: folder.path });
    const token = preview.envelope.data.confirm_token as string;
    const refused = await deedHere([...argv, '--confirm', token], { home, cwd: folder.path });
    expect(refused.envelope.error).toMatchObject({ code: 'E_CONFIG' });
    expect(existsSync(home)).toBe(true);
  });
});
