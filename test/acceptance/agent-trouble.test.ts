import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLlmServer, type LlmServer, type WireTrouble } from '../fixtures/llm-server.ts';
import {
  aiAgent,
  createAgentFolder,
  mcpServer,
  startAiAgent,
  type AgentFolder,
  type AgentRun,
} from '../fixtures/run-ai-agent.ts';
import { waitFor } from '../fixtures/run-deed.ts';

/** Whatever is wrong with input, provider or tools: a result, the exit code of its kind, and no process left behind. */
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

/** Processes that were started for this folder: their home is below it. */
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

/** Where the provider is not the point it is one without a tokenizer, which takes longer to load than all the rest. */
function configure(more: object = {}): void {
  folder.write('.ai-agent.json', {
    ...provider('openai-compatible'),
    mcpServers: { tool: mcpServer('trouble') },
    ...more,
  });
}

const run = (argv: readonly string[], env = {}): Promise<AgentRun> => aiAgent(argv, { folder, env });
const ask = (...flags: string[]): Promise<AgentRun> =>
  run(['You are a tester.', 'Go on.', '--models', 'p/gpt-4o', ...flags]);
const ledger = (): { type: string; status: string; error?: string }[] =>
  readFileSync(`${folder.home}/.deed/accounting.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as never);

describe('a call that cannot be right', () => {
  it.each<[string, string[], string, number]>([
    ['no prompts', [], 'no system prompt', 4],
    ['no task', ['system'], 'no user prompt', 4],
    ['three prompts', ['a', 'b', 'c', '--models', 'p/m'], '3 prompts', 4],
    ['an unknown flag', ['a', 'b', '--modles', 'p/m'], 'Unknown flag --modles', 4],
    ['a flag without its value', ['a', 'b', '--models'], '--models needs a value', 4],
    ['a number that is none', ['a', 'b', '--max-turns', 'many'], 'must be a whole number', 4],
    ['a limit of zero', ['a', 'b', '--models', 'p/m', '--max-turns', '0'], 'max-turns', 4],
    ['no model', ['a', 'b'], 'No model is named', 4],
    ['half a model', ['a', 'b', '--models', 'gpt'], '"gpt" names no model', 4],
    ['an unknown provider', ['a', 'b', '--models', 'nobody/m'], 'There is no provider "nobody"', 4],
    ['an unknown tool server', ['a', 'b', '--models', 'p/m', '--tools', 'tol'], 'Did you mean tool?', 3],
    ['a file that is not there', ['@nothing.txt', 'b', '--models', 'p/m'], 'There is no file', 4],
    ['a prompt file that is not there', ['nothing.ai', 'b'], 'is not there', 4],
    ['a configuration that is not there', ['a', 'b', '--config', 'no.json'], 'There is no configuration', 4],
    ['a schema that is no JSON', ['a', 'b', '--models', 'p/m', '--schema', '{'], 'schema', 5],
    [
      'a schema that is no schema',
      ['a', 'b', '--models', 'p/m', '--schema', '{"type":"nonsense"}'],
      'schema',
      5,
    ],
    [
      'a recording that is not there',
      ['a', 'b', '--models', 'p/m', '--replay', 'no.json'],
      'There is no script',
      4,
    ],
  ])('is refused: %s', async (_name, argv, message, code) => {
    configure();
    const answer = await run(argv);
    expect(answer.stderr).toContain(message);
    expect([answer.code, answer.stdout]).toEqual([code, '']);
    expect(server.requests).toEqual([]);
  });
});

describe('a configuration that cannot be right', () => {
  it.each<[string, unknown, string]>([
    ['is no JSON', '{"providers": }', 'is not JSON'],
    ['is no object', '[]', 'is not a JSON object'],
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
    ['binds a tool to no queue', { mcpServers: { s: { command: 'x', queue: 'slow' } } }, '"slow"'],
    [
      'asks for a variable that is not there',
      { providers: { p: { apiKey: '${NOWHERE}' } } },
      'MissingVariableError',
    ],
  ])('is refused, naming the layer: %s', async (_name, content, message) => {
    const file = folder.write('.ai-agent.json', content);
    const answer = await ask();
    expect(answer.stderr).toContain(message);
    expect(answer.stderr).toContain(file.replace(/^.*\/work\//u, ''));
    expect([answer.code, answer.stdout]).toEqual([4, '']);
  });

  it.each([
    ['an unknown key', '---\nmaxTruns: 3\n---\nhello', 'maxTruns: is not a known key'],
    ['no YAML', '---\nmodels: [\n---\nhello', 'is not YAML'],
    ['a loop of includes', 'x ${include:ask.ai}', 'includes itself'],
    ['an include of nothing', 'x ${include:gone.md}', 'which is not there'],
  ])('of a prompt file is refused: %s', async (_name, content, message) => {
    folder.write('ask.ai', content);
    const answer = await run(['ask.ai', 'b', '--models', 'p/m']);
    expect(answer.stderr).toContain(message);
    expect([answer.code, answer.stdout]).toEqual([4, '']);
  });
});

describe('a provider that fails', () => {
  const ONE_TRY = ['--max-turns', '1', '--max-retries', '1'];
  it.each<[string, WireTrouble, string]>([
    ['401', { status: 401, body: { error: { message: `Incorrect API key: ${KEY}` } } }, 'Incorrect API key'],
    ['402', { status: 402, body: { error: { message: 'Pay first' } } }, 'Pay first'],
    [
      'insufficient_quota with 429',
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'No money left' } } },
      'No money left',
    ],
  ])('for good ends the session at once: %s', async (_name, trouble, message) => {
    configure(provider('openai'));
    server.trouble(trouble);
    const answer = await ask();
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain(message);
    expect(answer.stdout).not.toBe('');
    expect(server.requests).toHaveLength(1);
    expect(ledger()).toMatchObject([{ type: 'llm', status: 'failed' }]);
    expect(answer.stdout + answer.stderr + JSON.stringify(ledger())).not.toContain(KEY);
  });

  it.each<[string, WireTrouble]>([
    ['500', { status: 500, body: 'Internal Server Error' }],
    ['503', { status: 503 }],
    ['429', { status: 429, headers: { 'retry-after': '1' } }],
    ['a reset in the middle of the stream', { after: 120, end: 'reset' }],
    ['a stream that just ends', { after: 120, end: 'close' }],
    ['garbage', { garbage: 'data: {"this is": not JSON\n\n' }],
    ['an empty answer', { garbage: '' }],
  ])('for now is asked again: %s', async (_name, trouble) => {
    configure();
    server.trouble(trouble);
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const answer = await ask('--max-turns', '1');
    expect({ ...answer, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
    expect(server.requests).toHaveLength(2);
  });

  it('and never recovers leaves a report of the failure', async () => {
    configure();
    server.trouble({ status: 500 });
    const answer = await ask(...ONE_TRY);
    expect(answer.code).toBe(1);
    expect(answer.stdout).not.toBe('');
  });

  it('by standing still is given up after its time', async () => {
    configure();
    server.trouble({ after: 120, end: 'stall' });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const answer = await ask('--max-turns', '1', '--llm-timeout-ms', '700');
    expect({ ...answer, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
  });

  it('by refusing, or by text that is no UTF-16, still leaves a report', async () => {
    configure();
    server.mock.onMessage(/./u, { content: 'I cannot help with that. \uD83D' });
    const answer = await ask(...ONE_TRY);
    expect(answer.stdout).toContain('I cannot help with that.');
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
    [
      'hangs at its start',
      { ...mcpServer('trouble', 'hang'), startTimeoutMs: 700 },
      'did not answer in time',
    ],
    ['dies at its start', mcpServer('trouble', 'die'), 'cannot open the database'],
    ['is not installed', { command: 'no-such-program-here' }, 'no-such-program-here'],
    ['is not reachable', { url: 'http://127.0.0.1:1/mcp' }, 'could not be started'],
  ])('before anything began is exit 3: it %s', async (_name, settings, message) => {
    configure({ mcpServers: { tool: settings } });
    const answer = await withTool();
    expect(answer.stderr).toContain(message);
    expect(answer.code).toBe(3);
    expect(answer.stdout).not.toBe('');
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['die', 'is gone: it ended with code 7'],
    ['flood', 'floods its output'],
    ['hang', '(tool failed: timeout)'],
    ['error', '(tool failed: no such city)'],
    ['malformed', 'no valid JSON-RPC response'],
    ['mute', 'is gone: it closed its output'],
  ])('in a call fails that call alone: %s', async (tool, message) => {
    configure();
    toolThenReport(tool);
    const answer = await withTool('--tool-timeout-ms', '900');
    expect({ ...answer, stderr: '' }).toEqual({ code: 0, stdout: 'I have seen the tool.\n', stderr: '' });
    expect(JSON.stringify(server.requests[1]?.body)).toContain(message);
    expect(ledger().find(({ type }) => type === 'tool')).toMatchObject({ status: 'failed' });
  });

  it('by answering with 50 MB is cut to size', async () => {
    configure();
    toolThenReport('huge');
    const answer = await withTool('--tool-response-max-bytes', '1000');
    expect({ ...answer, stderr: '' }).toEqual({ code: 0, stdout: 'I have seen the tool.\n', stderr: '' });
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('[TRUNCATED] Original size 52428800 bytes; truncated to');
    expect(sent.length).toBeLessThan(10_000);
  });

  it('by having no tools at all leaves the report alone on standard output', async () => {
    configure({ mcpServers: { tool: mcpServer('trouble', 'no-tools') } });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const answer = await ask('--tools', 'tool', '--max-turns', '1');
    expect({ ...answer, stderr: '' }).toEqual({ code: 0, stdout: 'All is well.\n', stderr: '' });
  });

  it('by printing what is no message is understood all the same', async () => {
    configure();
    toolThenReport('garbage');
    await withTool();
    expect(JSON.stringify(server.requests[1]?.body)).toContain('after garbage');
  });
});

describe('a key without a shape that anybody knows', () => {
  it('is nowhere to be read, though model and tools repeat it', async () => {
    const [key, token] = ['plainkey4711Zebra', 'hush0815Quokka'];
    configure({
      ...provider('openai-compatible', key),
      mcpServers: { tool: { ...mcpServer('trouble'), env: { SERVICE_TOKEN: token } } },
    });
    const hasResult = ({ messages }: { messages: { role: string }[] }): boolean =>
      messages.some(({ role }) => role === 'tool');
    server.mock.on({ predicate: hasResult }, { content: `The key is ${key}, the token ${token}.` });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__environment', arguments: '{}' }] });
    const answer = await ask(
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
    expect([answer.code, answer.stdout]).toEqual([0, 'The key is [REDACTED], the token [REDACTED].\n']);
    const [snapshot = ''] = readdirSync(`${folder.home}/.deed/sessions`);
    const kept = [
      answer.stderr,
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
  it('ends with a report, and with everything that was started', async () => {
    configure();
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__hang', arguments: '{}' }] });
    const child = startAiAgent(
      [
        'You are a tester.',
        'Go on.',
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
    const answer = await ended;
    expect(answer.code).toBe(1);
    expect(answer.stdout).not.toBe('');
  });

  it('that is repeated while a tool does not close ends at once, still with the report and the accounting', async () => {
    const { command, args } = mcpServer('trouble');
    // The server itself would end; who started it does not, until it is killed.
    const stubborn = `exec 3<&0; "$@" <&3 & trap '' TERM; while :; do sleep 1; done`;
    configure({ mcpServers: { tool: { command: 'sh', args: ['-c', stubborn, 'sh', command, ...args] } } });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__hang', arguments: '{}' }] });
    const flags = '--models p/gpt-4o --tools tool --transport native --verbose'.split(' ');
    const child = startAiAgent(['You are a tester.', 'Go on.', ...flags], { folder });
    const ended = waitFor(child);
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text: string) => {
        if (text.includes('tool__hang')) resolve();
      });
    });
    const impatient = setInterval(() => child.kill('SIGINT'), 100);
    const answer = await ended;
    clearInterval(impatient);
    expect([answer.code, answer.stdout.includes('aborted')]).toEqual([1, true]);
    expect(answer.stderr).toContain('not everything it had started was closed');
    expect(ledger().map(({ type }) => type)).toContain('llm');
    while (leftovers(dirname(folder.path)).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s in the middle of an answer ends with a report',
    async (signal) => {
      configure();
      server.mock.onMessage(/./u, { content: 'A long answer that says much. '.repeat(40) });
      server.trouble({ after: 2000, end: 'stall' });
      const child = startAiAgent(['You are a tester.', 'Go on.', '--models', 'p/gpt-4o'], { folder });
      const ended = waitFor(child);
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill(signal);
      const answer = await ended;
      expect(answer.code).toBe(1);
      expect(answer.stdout).toContain('The session was aborted.');
    },
  );
});
