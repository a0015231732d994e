import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest } from '../fixtures/agent-test.ts';
import type { InjectedFailure, LlmServer } from '../fixtures/llm-server.ts';
import {
  aiAgent,
  mcpServer,
  startAiAgent,
  type AgentFolder,
  type AgentRun,
} from '../fixtures/run-ai-agent.ts';
import { waitFor } from '../fixtures/run-deed.ts';
import { agentHere } from '../fixtures/run-here.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';

/** Failures of input, provider or tools: each gives a result and the right exit code, and leaves no process running. */
const KEY = 'sk-test-0123456789abcdefghij';
/** Returns the running processes of this folder: those whose environment contains its path. */
function leftovers(path: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(path);
        return isOurs && !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      } catch {
        return false;
      }
    });
}

const providerAt = (url: string, type: string, apiKey = KEY): object => ({
  providers: { p: { type, apiKey, baseUrl: `${url}/v1` } },
});

/** An ordinary call. */
const ASKED = ['You are a tester.', 'Continue.', '--models', 'p/gpt-4o'];

interface Scene {
  readonly server: LlmServer;
  readonly folder: AgentFolder;
  readonly provider: (type: string, apiKey?: string) => object;
  readonly configure: (more?: object) => void;
  readonly run: (argv: readonly string[]) => Promise<AgentRun>;
  /** Like `run`, but in this process; in the long suite it starts the executable too. */
  readonly runHere: (argv: readonly string[]) => Promise<AgentRun>;
  /** An ordinary call in this process. */
  readonly ask: (...flags: string[]) => Promise<AgentRun>;
  /** An ordinary call of the executable. */
  readonly start: (...flags: string[]) => Promise<AgentRun>;
  readonly ledger: () => { type: string; status: string; error?: string }[];
}

const test = agentTest.extend<{ scene: Scene }>({
  scene: async ({ server, folder }, use) => {
    const provider = (type: string, apiKey?: string): object => providerAt(server.url, type, apiKey);
    const run = (argv: readonly string[]): Promise<AgentRun> => aiAgent(argv, { folder });
    await use({
      server,
      folder,
      provider,
      run,
      runHere: (argv) => agentHere(argv, { folder }),
      // Uses a provider without a tokenizer by default, because loading one dominates the run time.
      configure: (more = {}) => {
        folder.write('.ai-agent.json', {
          ...provider('openai-compatible'),
          mcpServers: { tool: mcpServer('faulty') },
          ...more,
        });
      },
      ask: (...flags) => agentHere([...ASKED, ...flags], { folder }),
      start: (...flags) => run([...ASKED, ...flags]),
      ledger: () =>
        readFileSync(`${folder.home}/.deed/accounting.jsonl`, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as never),
    });
    expect(leftovers(dirname(folder.path))).toEqual([]);
  },
});

/** One for each exit code is also started as a process. */
const STARTED: ReadonlySet<string> = new Set(['no prompts', 'an unknown tool server', 'an invalid schema']);

describe.concurrent('an invalid call', () => {
  test.for<[string, string[], string, number]>([
    ['no prompts', [], 'Missing system prompt', 4],
    ['no user prompt', ['system'], 'Missing user prompt', 4],
    ['three prompts', ['a', 'b', 'c', '--models', 'p/m'], 'but got 3', 4],
    ['an unknown flag', ['a', 'b', '--modles', 'p/m'], 'Unknown flag --modles', 4],
    ['a flag without its value', ['a', 'b', '--models'], '--models needs a value', 4],
    ['an invalid number', ['a', 'b', '--max-turns', 'many'], 'must be an integer', 4],
    ['a limit of zero', ['a', 'b', '--models', 'p/m', '--max-turns', '0'], 'max-turns', 4],
    ['no model', ['a', 'b'], 'No model is configured', 4],
    ['a model without a provider', ['a', 'b', '--models', 'gpt'], 'Invalid model "gpt"', 4],
    ['an unknown provider', ['a', 'b', '--models', 'unknown/m'], 'Unknown provider: "unknown"', 4],
    ['an unknown tool server', ['a', 'b', '--models', 'p/m', '--tools', 'tol'], 'Did you mean tool?', 3],
    ['a missing file', ['@nothing.txt', 'b', '--models', 'p/m'], 'nothing.txt does not exist', 4],
    ['a missing prompt file', ['nothing.ai', 'b'], 'nothing.ai does not exist', 4],
    ['a missing configuration', ['a', 'b', '--config', 'no.json'], 'no.json does not exist', 4],
    ['a schema that is not JSON', ['a', 'b', '--models', 'p/m', '--schema', '{'], 'schema', 5],
    ['an invalid schema', ['a', 'b', '--models', 'p/m', '--schema', '{"type":"nonsense"}'], 'schema', 5],
    [
      'a missing recording',
      ['a', 'b', '--models', 'p/m', '--replay', 'no.json'],
      'no.json does not exist',
      4,
    ],
  ])('is rejected: %s', async ([name, argv, message, code], { scene }) => {
    scene.configure();
    const result = await (STARTED.has(name) ? scene.run(argv) : scene.runHere(argv));
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(scene.server.requests).toEqual([]);
  });
});

describe.concurrent('an invalid configuration', () => {
  test.for<[string, unknown, string]>([
    ['is not JSON', '{"providers": }', 'is not JSON'],
    ['is not an object', '[]', 'is not a JSON object'],
    ['has an unknown key', { provders: {} }, 'provders: is not a known key'],
    [
      'has a limit of the wrong type',
      { defaults: { maxTurns: 'ten' } },
      'defaults.maxTurns: must be of type',
    ],
    [
      'has an unknown provider type',
      { providers: { p: { type: 'odd' } } },
      'providers.p.type: must be one of',
    ],
    ['refers to an unknown queue', { mcpServers: { s: { command: 'x', queue: 'slow' } } }, '"slow"'],
    ['uses an undefined variable', { providers: { p: { apiKey: '${NOWHERE}' } } }, 'MissingVariableError'],
  ])('is rejected with the layer: %s', async ([, content, message], { scene }) => {
    const file = scene.folder.write('.ai-agent.json', content);
    const result = await scene.runHere([...ASKED]);
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain(file.replace(/^.*\/work\//u, ''));
    expect([result.code, result.stdout]).toEqual([4, '']);
  });

  test.for([
    ['an unknown key', '---\nmaxTruns: 3\n---\nhello', 'maxTruns: is not a known key'],
    ['invalid YAML', '---\nmodels: [\n---\nhello', 'has invalid YAML frontmatter'],
    ['an include cycle', 'x ${include:ask.ai}', 'includes itself'],
    ['a missing include', 'x ${include:missing.md}', 'which does not exist'],
  ])('in a prompt file is rejected: %s', async ([, content, message], { scene }) => {
    scene.folder.write('ask.ai', content);
    const result = await scene.runHere(['ask.ai', 'b', '--models', 'p/m']);
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([4, '']);
  });
});

describe.concurrent('a provider that fails', () => {
  const ONE_ATTEMPT = ['--max-turns', '1', '--max-retries', '1'];
  const PERMANENT: readonly [string, InjectedFailure, string][] = [
    ['401', { status: 401, body: { error: { message: `Incorrect API key: ${KEY}` } } }, 'Incorrect API key'],
    ['402', { status: 402, body: { error: { message: 'Pay first' } } }, 'Pay first'],
    [
      'insufficient_quota with 429',
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'No money left' } } },
      'No money left',
    ],
  ];
  // The test of the providers classifies the last one, and its tokenizer is slow to load.
  test.for(rowsOf(PERMANENT, 2))(
    'permanently ends the session immediately: %s',
    async ([name, failure, message], { scene }) => {
      // The other codes mean the same for all families; this one belongs to OpenAI, whose tokenizer is slow to load.
      scene.configure(name.startsWith('insufficient_quota') ? scene.provider('openai') : {});
      scene.server.failNext(failure);
      const result = await scene.ask();
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(message);
      expect(result.stdout).not.toBe('');
      expect(scene.server.requests).toHaveLength(1);
      expect(scene.ledger()).toMatchObject([{ type: 'llm', status: 'failed' }]);
      expect(result.stdout + result.stderr + JSON.stringify(scene.ledger())).not.toContain(KEY);
    },
  );

  test.for<[string, InjectedFailure]>([
    ['500', { status: 500, body: 'Internal Server Error' }],
    ['503', { status: 503 }],
    ['429', { status: 429, headers: { 'retry-after': '1' } }],
    ['a reset in the middle of the stream', { after: 120, end: 'reset' }],
    ['a stream that ends early', { after: 120, end: 'close' }],
    ['garbage', { garbage: 'data: {"this is": not JSON\n\n' }],
    ['an empty response', { garbage: '' }],
  ])('temporarily is retried: %s', async ([name, failure], { scene }) => {
    scene.configure();
    scene.server.failNext(failure);
    scene.server.mock.onMessage(/./u, { content: 'All is well.' });
    const isStarted = ['500', 'a reset in the middle of the stream'].includes(name);
    const argv = [...ASKED, '--max-turns', '1'];
    const result = await (isStarted ? scene.run(argv) : scene.runHere(argv));
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
    expect(scene.server.requests).toHaveLength(2);
  });

  test('on every attempt still produces a failure report', async ({ scene }) => {
    scene.configure();
    scene.server.failNext({ status: 500 });
    const result = await scene.ask(...ONE_ATTEMPT);
    expect(result.code).toBe(1);
    expect(result.stdout).not.toBe('');
  });

  test('by stalling times out', async ({ scene }) => {
    scene.configure();
    scene.server.failNext({ after: 120, end: 'stall' });
    scene.server.mock.onMessage(/./u, { content: 'All is well.' });
    const result = await scene.start('--max-turns', '1', '--llm-timeout-ms', '3000');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
  });

  test('by a refusal with a lone surrogate still produces a report', async ({ scene }) => {
    scene.configure();
    scene.server.mock.onMessage(/./u, { content: 'I cannot help with that. \uD83D' });
    const result = await scene.ask(...ONE_ATTEMPT);
    expect(result.stdout).toContain('I cannot help with that.');
  });
});

const SLOW_FAILURES: readonly [string, string][] = [
  ['hang', '(tool failed: timeout)'],
  ['error', '(tool failed: no such city)'],
  ['flood', 'flooded its output'],
  ['malformed', 'invalid JSON-RPC response'],
  ['mute', 'stopped: it closed its output'],
];

describe.concurrent('a tool server that fails', () => {
  const toolThenReport = (scene: Scene, tool: string): void => {
    const hasResult = (request: { messages: { role: string }[] }): boolean =>
      request.messages.some(({ role }) => role === 'tool');
    scene.server.mock.on({ predicate: hasResult }, { content: 'I have seen the tool.' });
    scene.server.mock.onMessage(/./u, { toolCalls: [{ name: `tool__${tool}`, arguments: '{}' }] });
  };
  const WITH_TOOL = ['--tools', 'tool', '--transport', 'native', '--max-turns', '2'];
  const withTool = (scene: Scene, ...flags: string[]): Promise<AgentRun> => scene.ask(...WITH_TOOL, ...flags);

  const START_FAILURES: readonly [string, object, string][] = [
    ['exits at start', mcpServer('faulty', 'die'), 'cannot open the database'],
    ['is not installed', { command: 'no-such-program-here' }, 'no-such-program-here'],
    ['is not reachable', { url: 'http://127.0.0.1:1/mcp' }, 'Cannot start the tool server'],
    // The tests of the tool host cover this one without an executable.
    ['hangs at start', { ...mcpServer('faulty', 'hang'), startTimeoutMs: 700 }, 'did not respond in time'],
  ];
  test.for(LONG ? START_FAILURES : START_FAILURES.slice(0, -1))(
    'at startup exits with 3: it %s',
    async ([, settings, message], { scene }) => {
      scene.configure({ mcpServers: { tool: settings } });
      const result = await withTool(scene);
      expect(result.stderr).toContain(message);
      expect(result.code).toBe(3);
      expect(result.stdout).not.toBe('');
      expect(scene.server.requests).toEqual([]);
    },
  );

  test.for<[string, string]>([
    ['die', 'stopped: it exited with code 7'],
    // The tests of the tool host cover these without an executable.
    ...(LONG ? SLOW_FAILURES : []),
  ])('in a call fails only that call: %s', async ([tool, message], { scene }) => {
    scene.configure();
    toolThenReport(scene, tool);
    // Only the servers that never respond are to reach the limit.
    const limit = message.includes('timeout') ? '900' : '20000';
    const result = await scene.start(...WITH_TOOL, '--tool-timeout-ms', limit);
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'I have seen the tool.\n', stderr: '' });
    expect(JSON.stringify(scene.server.requests[1]?.body)).toContain(message);
    expect(scene.ledger().find(({ type }) => type === 'tool')).toMatchObject({ status: 'failed' });
  });

  // The tests of the tool host return as much, and those of the session truncate a result.
  test.runIf(LONG)('by returning 50 MB is truncated', async ({ scene }) => {
    scene.configure();
    toolThenReport(scene, 'huge');
    const result = await withTool(scene, '--tool-response-max-bytes', '1000');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'I have seen the tool.\n', stderr: '' });
    const sent = JSON.stringify(scene.server.requests[1]?.body);
    expect(sent).toContain('[TRUNCATED] Original size 52428800 bytes; truncated to');
    expect(sent.length).toBeLessThan(10_000);
  });

  test('by listing no tools keeps the report alone on standard output', async ({ scene }) => {
    scene.configure({ mcpServers: { tool: mcpServer('faulty', 'no-tools') } });
    scene.server.mock.onMessage(/./u, { content: 'All is well.' });
    const result = await scene.ask('--tools', 'tool', '--max-turns', '1');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
  });

  test('by printing text between messages is ignored', async ({ scene }) => {
    scene.configure();
    toolThenReport(scene, 'garbage');
    await withTool(scene);
    expect(JSON.stringify(scene.server.requests[1]?.body)).toContain('after garbage');
  });
});

describe.concurrent('a key without a known format', () => {
  test('appears in no output, even if model and tools repeat it', async ({ scene }) => {
    const [key, token] = ['plainkey4711Zebra', 'hush0815Quokka'];
    scene.configure({
      ...scene.provider('openai-compatible', key),
      mcpServers: { tool: { ...mcpServer('faulty'), env: { SERVICE_TOKEN: token } } },
    });
    const hasResult = ({ messages }: { messages: { role: string }[] }): boolean =>
      messages.some(({ role }) => role === 'tool');
    scene.server.mock.on({ predicate: hasResult }, { content: `The key is ${key}, the token ${token}.` });
    scene.server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__environment', arguments: '{}' }] });
    const result = await scene.start(
      '--tools',
      'tool',
      '--transport',
      'native',
      '--max-turns',
      '2',
      '--verbose',
      '--trace-tools',
      '--tool-response-max-bytes',
      '400',
      '--record',
      'recording.json',
    );
    expect([result.code, result.stdout]).toEqual([0, 'The key is [REDACTED], the token [REDACTED].\n']);
    const [session = ''] = readdirSync(`${scene.folder.home}/.deed/sessions`);
    const stored = [
      result.stderr,
      scene.folder.read('recording.json'),
      readFileSync(`${scene.folder.home}/.deed/accounting.jsonl`, 'utf8'),
      readFileSync(`${scene.folder.home}/.deed/sessions/${session}`, 'utf8'),
      JSON.stringify(scene.server.requests.map(({ body }) => body as unknown)),
    ].join('\n');
    expect(stored).toContain('SERVICE_TOKEN');
    expect([stored.includes(key), stored.includes(token)]).toEqual([false, false]);
  });
});

describe.concurrent('an interruption', () => {
  test('prints a report and terminates all processes', async ({ scene }) => {
    scene.configure();
    scene.server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__hang', arguments: '{}' }] });
    const child = startAiAgent(
      [
        'You are a tester.',
        'Continue.',
        '--models',
        'p/gpt-4o',
        '--tools',
        'tool',
        '--transport',
        'native',
        '--verbose',
      ],
      { folder: scene.folder },
    );
    const ended = waitFor(child);
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text: string) => {
        if (text.includes('tool__hang')) resolve();
      });
    });
    child.kill('SIGINT');
    const result = await ended;
    expect(result.code).toBe(1);
    expect(result.stdout).not.toBe('');
  });

  test('that is repeated while a tool does not close exits immediately, with the report and the accounting', async ({
    scene,
  }) => {
    const { command, args } = mcpServer('faulty');
    // The server exits, but its parent shell ignores SIGTERM until it is killed.
    const stubborn = `exec 3<&0; "$@" <&3 & trap '' TERM; while :; do sleep 1; done`;
    scene.configure({
      mcpServers: { tool: { command: 'sh', args: ['-c', stubborn, 'sh', command, ...args] } },
    });
    scene.server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__hang', arguments: '{}' }] });
    const flags = '--models p/gpt-4o --tools tool --transport native --verbose'.split(' ');
    const child = startAiAgent(['You are a tester.', 'Continue.', ...flags], { folder: scene.folder });
    const ended = waitFor(child);
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text: string) => {
        if (text.includes('tool__hang')) resolve();
      });
    });
    const repeated = setInterval(() => child.kill('SIGINT'), 100);
    const result = await ended;
    clearInterval(repeated);
    expect([result.code, result.stdout.includes('aborted')]).toEqual([1, true]);
    expect(result.stderr).toContain('interrupted before all its tools were closed');
    expect(scene.ledger().map(({ type }) => type)).toContain('llm');
    while (leftovers(dirname(scene.folder.path)).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test.for(LONG ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGTERM'] as const))(
    'by %s in the middle of a response prints a report',
    async (signal, { scene }) => {
      scene.configure();
      scene.server.mock.onMessage(/./u, { content: 'A long answer. '.repeat(40) });
      scene.server.failNext({ after: 2000, end: 'stall' });
      const child = startAiAgent(['You are a tester.', 'Continue.', '--models', 'p/gpt-4o'], {
        folder: scene.folder,
      });
      const ended = waitFor(child);
      while (scene.server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill(signal);
      const result = await ended;
      expect(result.code).toBe(1);
      expect(result.stdout).toContain('The session was aborted.');
      expect(result.stderr).toMatch(/To continue: ai-agent --resume [0-9a-f]{32}\n/u);
    },
  );
});
