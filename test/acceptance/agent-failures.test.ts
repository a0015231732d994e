import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLlmServer, type LlmServer, type InjectedFailure } from '../fixtures/llm-server.ts';
import {
  aiAgent,
  createAgentFolder,
  mcpServer,
  startAiAgent,
  type AgentFolder,
  type AgentRun,
} from '../fixtures/run-ai-agent.ts';
import { waitFor } from '../fixtures/run-deed.ts';

/** Failures of input, provider or tools: each gives a result and the right exit code, and leaves no process running. */
const KEY = 'sk-test-0123456789abcdefghij';
let server: LlmServer;
let folder: AgentFolder;
beforeAll(async () => {
  server = await startLlmServer();
});
afterAll(() => server.close());
beforeEach(() => {
  folder = createAgentFolder();
  server.mock.reset();
  server.requests.length = 0;
});
afterEach(() => {
  expect(leftovers(dirname(folder.path))).toEqual([]);
  folder.dispose();
});

/** Returns the running processes of this folder: those whose environment contains its path. */
function leftovers(path: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const running = !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
        return running && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(path);
      } catch {
        return false;
      }
    });
}

const provider = (type: string, apiKey = KEY): object => ({
  providers: { p: { type, apiKey, baseUrl: `${server.url}/v1` } },
});

/** Uses a provider without a tokenizer by default, because loading one dominates the run time. */
function configure(more: object = {}): void {
  folder.write('.ai-agent.json', {
    ...provider('openai-compatible'),
    mcpServers: { tool: mcpServer('faulty') },
    ...more,
  });
}

const run = (argv: readonly string[], env = {}): Promise<AgentRun> => aiAgent(argv, { folder, env });
const ask = (...flags: string[]): Promise<AgentRun> =>
  run(['You are a tester.', 'Continue.', '--models', 'p/gpt-4o', ...flags]);
const ledger = (): { type: string; status: string; error?: string }[] =>
  readFileSync(`${folder.home}/.deed/accounting.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as never);

describe('an invalid call', () => {
  it.each<[string, string[], string, number]>([
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
  ])('is rejected: %s', async (_name, argv, message, code) => {
    configure();
    const result = await run(argv);
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(server.requests).toEqual([]);
  });
});

describe('an invalid configuration', () => {
  it.each<[string, unknown, string]>([
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
  ])('is rejected with the layer: %s', async (_name, content, message) => {
    const file = folder.write('.ai-agent.json', content);
    const result = await ask();
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain(file.replace(/^.*\/work\//u, ''));
    expect([result.code, result.stdout]).toEqual([4, '']);
  });

  it.each([
    ['an unknown key', '---\nmaxTruns: 3\n---\nhello', 'maxTruns: is not a known key'],
    ['invalid YAML', '---\nmodels: [\n---\nhello', 'has invalid YAML frontmatter'],
    ['an include cycle', 'x ${include:ask.ai}', 'includes itself'],
    ['a missing include', 'x ${include:gone.md}', 'which does not exist'],
  ])('in a prompt file is rejected: %s', async (_name, content, message) => {
    folder.write('ask.ai', content);
    const result = await run(['ask.ai', 'b', '--models', 'p/m']);
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([4, '']);
  });
});

describe('a provider that fails', () => {
  const ONE_ATTEMPT = ['--max-turns', '1', '--max-retries', '1'];
  it.each<[string, InjectedFailure, string]>([
    ['401', { status: 401, body: { error: { message: `Incorrect API key: ${KEY}` } } }, 'Incorrect API key'],
    ['402', { status: 402, body: { error: { message: 'Pay first' } } }, 'Pay first'],
    [
      'insufficient_quota with 429',
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'No money left' } } },
      'No money left',
    ],
  ])('permanently ends the session immediately: %s', async (_name, failure, message) => {
    configure(provider('openai'));
    server.failNext(failure);
    const result = await ask();
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(message);
    expect(result.stdout).not.toBe('');
    expect(server.requests).toHaveLength(1);
    expect(ledger()).toMatchObject([{ type: 'llm', status: 'failed' }]);
    expect(result.stdout + result.stderr + JSON.stringify(ledger())).not.toContain(KEY);
  });

  it.each<[string, InjectedFailure]>([
    ['500', { status: 500, body: 'Internal Server Error' }],
    ['503', { status: 503 }],
    ['429', { status: 429, headers: { 'retry-after': '1' } }],
    ['a reset in the middle of the stream', { after: 120, end: 'reset' }],
    ['a stream that ends early', { after: 120, end: 'close' }],
    ['garbage', { garbage: 'data: {"this is": not JSON\n\n' }],
    ['an empty response', { garbage: '' }],
  ])('temporarily is retried: %s', async (_name, failure) => {
    configure();
    server.failNext(failure);
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const result = await ask('--max-turns', '1');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
    expect(server.requests).toHaveLength(2);
  });

  it('on every attempt still produces a failure report', async () => {
    configure();
    server.failNext({ status: 500 });
    const result = await ask(...ONE_ATTEMPT);
    expect(result.code).toBe(1);
    expect(result.stdout).not.toBe('');
  });

  it('by stalling times out', async () => {
    configure();
    server.failNext({ after: 120, end: 'stall' });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const result = await ask('--max-turns', '1', '--llm-timeout-ms', '700');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
  });

  it('by a refusal with a lone surrogate still produces a report', async () => {
    configure();
    server.mock.onMessage(/./u, { content: 'I cannot help with that. \uD83D' });
    const result = await ask(...ONE_ATTEMPT);
    expect(result.stdout).toContain('I cannot help with that.');
  });
});

describe('a tool server that fails', () => {
  const toolThenReport = (tool: string): void => {
    const hasResult = (request: { messages: { role: string }[] }): boolean =>
      request.messages.some(({ role }) => role === 'tool');
    server.mock.on({ predicate: hasResult }, { content: 'I have seen the tool.' });
    server.mock.onMessage(/./u, { toolCalls: [{ name: `tool__${tool}`, arguments: '{}' }] });
  };
  const withTool = (...flags: string[]): Promise<AgentRun> =>
    ask('--tools', 'tool', '--transport', 'native', '--max-turns', '2', ...flags);

  it.each<[string, object, string]>([
    ['hangs at start', { ...mcpServer('faulty', 'hang'), startTimeoutMs: 700 }, 'did not respond in time'],
    ['exits at start', mcpServer('faulty', 'die'), 'cannot open the database'],
    ['is not installed', { command: 'no-such-program-here' }, 'no-such-program-here'],
    ['is not reachable', { url: 'http://127.0.0.1:1/mcp' }, 'Cannot start the tool server'],
  ])('at startup exits with 3: it %s', async (_name, settings, message) => {
    configure({ mcpServers: { tool: settings } });
    const result = await withTool();
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(3);
    expect(result.stdout).not.toBe('');
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['die', 'stopped: it exited with code 7'],
    ['flood', 'flooded its output'],
    ['hang', '(tool failed: timeout)'],
    ['error', '(tool failed: no such city)'],
    ['malformed', 'invalid JSON-RPC response'],
    ['mute', 'stopped: it closed its output'],
  ])('in a call fails only that call: %s', async (tool, message) => {
    configure();
    toolThenReport(tool);
    const result = await withTool('--tool-timeout-ms', '900');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'I have seen the tool.\n', stderr: '' });
    expect(JSON.stringify(server.requests[1]?.body)).toContain(message);
    expect(ledger().find(({ type }) => type === 'tool')).toMatchObject({ status: 'failed' });
  });

  it('by returning 50 MB is truncated', async () => {
    configure();
    toolThenReport('huge');
    const result = await withTool('--tool-response-max-bytes', '1000');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'I have seen the tool.\n', stderr: '' });
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('[TRUNCATED] Original size 52428800 bytes; truncated to');
    expect(sent.length).toBeLessThan(10_000);
  });

  it('by listing no tools keeps the report alone on standard output', async () => {
    configure({ mcpServers: { tool: mcpServer('faulty', 'no-tools') } });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const result = await ask('--tools', 'tool', '--max-turns', '1');
    expect({ ...result, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
  });

  it('by printing text between messages is ignored', async () => {
    configure();
    toolThenReport('garbage');
    await withTool();
    expect(JSON.stringify(server.requests[1]?.body)).toContain('after garbage');
  });
});

describe('a key without a known format', () => {
  it('appears in no output, even if model and tools repeat it', async () => {
    const [key, token] = ['plainkey4711Zebra', 'hush0815Quokka'];
    configure({
      ...provider('openai-compatible', key),
      mcpServers: { tool: { ...mcpServer('faulty'), env: { SERVICE_TOKEN: token } } },
    });
    const hasResult = ({ messages }: { messages: { role: string }[] }): boolean =>
      messages.some(({ role }) => role === 'tool');
    server.mock.on({ predicate: hasResult }, { content: `The key is ${key}, the token ${token}.` });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__environment', arguments: '{}' }] });
    const result = await ask(
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
    const [snapshot = ''] = readdirSync(`${folder.home}/.deed/sessions`);
    const kept = [
      result.stderr,
      folder.read('recording.json'),
      readFileSync(`${folder.home}/.deed/accounting.jsonl`, 'utf8'),
      gunzipSync(readFileSync(`${folder.home}/.deed/sessions/${snapshot}`)).toString(),
      JSON.stringify(server.requests.map(({ body }) => body as unknown)),
    ].join('\n');
    expect(kept).toContain('SERVICE_TOKEN');
    expect([kept.includes(key), kept.includes(token)]).toEqual([false, false]);
  });
});

describe('an interruption', () => {
  it('prints a report and terminates all processes', async () => {
    configure();
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__hang', arguments: '{}' }] });
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
      { folder },
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

  it('that is repeated while a tool does not close exits immediately, with the report and the accounting', async () => {
    const { command, args } = mcpServer('faulty');
    // The server exits, but its parent shell ignores SIGTERM until it is killed.
    const stubborn = `exec 3<&0; "$@" <&3 & trap '' TERM; while :; do sleep 1; done`;
    configure({ mcpServers: { tool: { command: 'sh', args: ['-c', stubborn, 'sh', command, ...args] } } });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__hang', arguments: '{}' }] });
    const flags = '--models p/gpt-4o --tools tool --transport native --verbose'.split(' ');
    const child = startAiAgent(['You are a tester.', 'Continue.', ...flags], { folder });
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
    expect(ledger().map(({ type }) => type)).toContain('llm');
    while (leftovers(dirname(folder.path)).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s in the middle of a response prints a report',
    async (signal) => {
      configure();
      server.mock.onMessage(/./u, { content: 'A long answer that says much. '.repeat(40) });
      server.failNext({ after: 2000, end: 'stall' });
      const child = startAiAgent(['You are a tester.', 'Continue.', '--models', 'p/gpt-4o'], { folder });
      const ended = waitFor(child);
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill(signal);
      const result = await ended;
      expect(result.code).toBe(1);
      expect(result.stdout).toContain('The session was aborted.');
    },
  );
});
