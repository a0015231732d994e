import { randomFillSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  connectHttp,
  connectStdio,
  independentClient,
  startHttp,
  type IndependentClient,
  type HttpServer,
} from '../fixtures/mcp-client.ts';
import { confirmed, createHome, deed, type Envelope } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;

beforeEach(() => {
  home = createHome();
});

afterEach(() => home.dispose());

describe('mcp serve over stdio', () => {
  let connected: IndependentClient;
  beforeEach(async () => {
    connected = independentClient();
    await connectStdio(connected, home.path, home.path);
  });
  afterEach(() => connected.client.close());

  it('finds a command by words, describes it, and calls it', async () => {
    const found = await connected.call('find', { query: 'create task' });
    expect(found.data.commands[0]).toEqual({
      command: 'task create',
      summary: expect.any(String) as string,
      effect: 'write',
      gate: 'request_id',
    });
    const described = await connected.call('describe', { command: 'task create' });
    expect(described.data).toMatchObject({ path: 'task create', call_with: 'call-write' });
    expect(Object.keys((described.data.input as { properties: object }).properties)).toContain('title');
    const made = await connected.call('call-write', {
      command: 'task create',
      parameters: { title: 'over the wire' },
      request_id: 'r1',
    });
    const listed = await connected.call('call-read', { command: 'task list', fields: ['id', 'title'] });
    expect(listed.data.items).toEqual([{ id: made.data.task.id, title: 'over the wire' }]);
    expect(listed.data._untrusted).toContain('items[].title');
  });

  it('returns the first answer to a retried journal write', async () => {
    const write = (): Promise<Envelope> =>
      connected.call('call-write', {
        command: 'push',
        parameters: { event: { kind: 'progress', message: 'once' } },
        request_id: 'same',
      });
    const [first, second] = [await write(), await write()];
    expect(second.data).toEqual({ ...first.data, replayed: true });
  });

  it('hashes an artifact about as fast as a command', async () => {
    const file = join(home.path, 'large.bin');
    writeFileSync(file, randomFillSync(Buffer.alloc(24 * 1024 * 1024)));
    const made = await connected.call('call-write', {
      command: 'task create',
      parameters: { title: 'x' },
      request_id: 'task',
    });
    const { id } = made.data.task as { id: string };
    const served = await connected.call('call-write', {
      command: 'push',
      parameters: { task_id: id, artifacts: [{ file_path: file }] },
      request_id: 'served',
    });
    const artifacts = JSON.stringify([{ file_path: file }]);
    const alone = confirmed(['push', '--task-id', id, '--artifacts', artifacts, '--request-id', 'alone'], {
      home: home.path,
      cwd: home.path,
      ownProcess: true,
    });
    expect(alone.envelope.error).toBeUndefined();
    // It was twenty times slower, because a server hardly compiles.
    expect(served.meta.duration_ms).toBeLessThan(5 * alone.envelope.meta.duration_ms);
  });

  it('applies the gate of every other write', async () => {
    const parameters = { to: join(home.path, 'copy.db') };
    await connected.call('call-write', {
      command: 'memory set',
      parameters: { key: 'k', value: 'v' },
      request_id: 'm',
    });
    const bare = await connected.call('call-write', { command: 'store backup', parameters });
    expect(bare.error?.code).toBe('E_CONFIRMATION_REQUIRED');
    const preview = await connected.call('call-write', {
      command: 'store backup',
      parameters,
      dry_run: true,
    });
    expect(existsSync(parameters.to)).toBe(false);
    const confirm = preview.data.confirm_token as string;
    const elsewhere = await connected.call('call-write', {
      command: 'store backup',
      parameters: { to: join(home.path, 'other.db') },
      confirm,
    });
    expect(elsewhere.ok).toBe(false);
    const done = await connected.call('call-write', { command: 'store backup', parameters, confirm });
    expect(done.ok).toBe(true);
    expect(existsSync(parameters.to)).toBe(true);
    const again = await connected.call('call-write', { command: 'store backup', parameters, confirm });
    expect(again.ok).toBe(false);
  });

  it('offers tasks as resources', async () => {
    const made = confirmed(['task', 'create', '--title', 'a title'], { home: home.path });
    const id = made.envelope.data.task.id as string;
    const { resources } = await connected.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('deed://tasks');
    const { contents } = await connected.client.readResource({ uri: `deed://tasks/${id}` });
    const [content] = contents as { text: string; mimeType: string }[];
    expect(content?.mimeType).toBe('application/json');
    expect((JSON.parse(content?.text ?? '') as Envelope).data.id).toBe(id);
    const short = await connected.client.readResource({ uri: `deed://tasks/${id.slice(0, -1)}` });
    expect(short.contents[0]).toMatchObject({ text: expect.stringContaining(`"id":"${id}"`) });
    await expect(connected.client.readResource({ uri: 'deed://tasks/nope' })).rejects.toThrow(/nope/u);
    await expect(connected.client.readResource({ uri: 'deed://nothing' })).rejects.toThrow(
      /Unknown resource/u,
    );
  });

  it('writes each call to the audit log under the name of the client', async () => {
    await connected.call('call-write', {
      command: 'push',
      parameters: { event: { kind: 'progress', message: 'x' } },
      request_id: 'r',
    });
    const { items } = deed(['audit', 'list'], { home: home.path }).envelope.data as {
      items: { command: string; agent: string; phase: string }[];
    };
    expect(items.filter(({ command }) => command === 'push').map(({ agent }) => agent)).toEqual([
      'foreign',
      'foreign',
    ]);
  });

  it('answers concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        connected.call('call-write', {
          command: 'memory set',
          parameters: { key: `k${index}`, value: String(index) },
          request_id: `r${index}`,
        }),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(20);
    const { data } = await connected.call('call-read', {
      command: 'memory list',
      parameters: { limit: 100 },
    });
    expect(data.items).toHaveLength(20);
  });
});

/** Tests that change nothing share one server. */
describe('mcp serve over stdio, reads', () => {
  const shared = createHome();
  const connected = independentClient();
  beforeAll(() => connectStdio(connected, shared.path, shared.path));
  afterAll(async () => {
    await connected.client.close();
    shared.dispose();
  });

  it('offers four tools', async () => {
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['find', 'describe', 'call-read', 'call-write']);
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true, true, false]);
  });

  it('names working calls in its instructions', async () => {
    const instructions = connected.client.getInstructions() ?? '';
    const calls = [...instructions.matchAll(/(call-\w+) of "([^"]+)"/gu)];
    expect(calls).not.toEqual([]);
    for (const [, tool = '', command = ''] of calls)
      expect(await connected.call(tool, { command })).toMatchObject({ ok: true });
  });

  it.each([
    ['run a plan of work items', 'work run'],
    ['what was I working on?', 'resume'],
    ['find processes that agents left running', 'triage plan'],
    ['undo a run', 'work rollback'],
    ['is this receipt genuine: verify', 'receipt verify'],
    ['remember a fact for later', 'memory set'],
  ])('finds by a sentence: %s', async (query, command) => {
    const { data } = await connected.call('find', { query });
    const names = (data.commands as { command: string }[]).map((row) => row.command);
    expect(names.slice(0, 3)).toContain(command);
    expect(names.length).toBeLessThanOrEqual(10);
  });

  it('finds nothing for an unknown word', async () => {
    const { data } = await connected.call('find', { query: 'zzyzx' });
    expect(data.commands).toEqual([]);
  });

  it('rejects a journal write without a request id', async () => {
    const answer = await connected.call('call-write', {
      command: 'push',
      parameters: { event: { kind: 'progress', message: 'x' } },
    });
    expect(answer.error?.code).toBe('E_USAGE');
  });

  it.each([
    ['update', 'call-write'],
    ['loop', 'call-write'],
    ['hook install', 'call-write'],
    ['config set', 'call-write'],
    ['config trust', 'call-write'],
    ['mcp serve', 'call-read'],
    ['audit export', 'call-read'],
  ])('does not offer %s', async (command, tool) => {
    const answer = await connected.call(tool, { command, dry_run: tool === 'call-write' || undefined });
    expect(answer.error?.code).toBe('E_NOT_FOUND');
    const described = await connected.call('describe', { command });
    expect(described.error?.code).toBe('E_NOT_FOUND');
    expect(described.error?.details.hint).toBe(`A person can run it in a terminal: deed ${command}`);
    const all = await connected.call('find', {});
    const row = (all.data.commands as { command: string }[]).find((each) => each.command === command);
    expect(row).toMatchObject({ offered: false, run_by: `a person in a terminal: deed ${command}` });
  });

  it.each([
    ['the labelled questions', 'find-questions.json', 250],
    ['questions that the ranking was not tuned for', 'find-questions-held-out.json', 40],
  ])('finds a right command among the first three for nine of ten of %s', async (_, name, count) => {
    const file = new URL(`../fixtures/${name}`, import.meta.url);
    const questions = JSON.parse(readFileSync(file, 'utf8')) as { question: string; expect: string[] }[];
    expect(questions.length).toBeGreaterThanOrEqual(count);
    // The test of the ranking asks all of them without a server.
    const asked = LONG ? questions : questions.filter((_, index) => index % 12 === 0);
    const missed: string[] = [];
    for (const { question, expect: right } of asked) {
      const { data } = await connected.call('find', { query: question });
      const first = (data.commands as { command: string }[]).slice(0, 3);
      if (!first.some(({ command }) => right.includes(command))) missed.push(question);
    }
    expect(missed.length / asked.length, missed.join('\n')).toBeLessThanOrEqual(0.1);
  });

  // The client of these tests rejects every answer that mentions a flag.
  it.each([
    ['E_CONFIRMATION_REQUIRED', 'a missing token', 'call-write', { command: 'work gc' }],
    [
      'E_USAGE',
      'a missing request id',
      'call-write',
      { command: 'memory set', parameters: { key: 'k', value: 'v' } },
    ],
    ['E_VALIDATION', 'a long request id', 'call-write', { command: 'push', request_id: 'x'.repeat(1000) }],
    ['E_CONFLICT', 'an invalid token', 'call-write', { command: 'work gc', confirm: 'ct_1' }],
    ['E_VALIDATION', 'an invalid cursor', 'call-read', { command: 'task list', parameters: { cursor: 'x' } }],
    [
      'E_VALIDATION',
      'a missing scope',
      'call-read',
      { command: 'memory get', parameters: { key: 'k', scope: 'task' } },
    ],
    ['E_VALIDATION', 'an unknown parameter', 'call-read', { command: 'task list', parameters: { limti: 1 } }],
    ['E_VALIDATION', 'an unknown field', 'call-read', { command: 'task list', fields: ['nope'] }],
    ['E_NOT_FOUND', 'an unknown run', 'call-read', { command: 'work show', parameters: { id: 'run_1' } }],
    ['E_NOT_FOUND', 'an unknown job', 'call-read', { command: 'work status', parameters: { id: 'job_1' } }],
    [
      'E_NOT_FOUND',
      'an unknown session',
      'call-read',
      { command: 'triage status', parameters: { session: 'sess-1' } },
    ],
    [
      'E_NOT_FOUND',
      'a missing plan',
      'call-write',
      { command: 'work run', parameters: { file: '/nope' }, dry_run: true },
    ],
    [
      'E_CONFIG',
      'a missing model',
      'call-read',
      { command: 'agent validate', parameters: { system: 'a', user: 'b' } },
    ],
    [
      'E_HUMAN_REQUIRED',
      'a directive',
      'call-write',
      { command: 'memory set', parameters: { key: 'k', value: 'v', kind: 'directive' }, request_id: 'd' },
    ],
  ])('answers in the terms of MCP with %s: %s', async (code, _what, tool, given) => {
    expect((await connected.call(tool, given)).error?.code).toBe(code);
  });

  it('names the arguments of its tools in the hints for a gate', async () => {
    const bare = { command: 'work gc' };
    expect((await connected.call('call-write', bare)).error?.details.hint).toBe(
      'Run it with dry_run: true first; then repeat it with confirm and the confirm_token from the answer.',
    );
    expect((await connected.call('call-write', { command: 'push' })).error?.details.hint).toBe(
      'Add request_id with a unique value, and use the same value for retries.',
    );
  });

  it('describes a command with arguments instead of command lines', async () => {
    const { data } = await connected.call('describe', { command: 'store backup' });
    expect(data.examples).toEqual([
      { command: 'store backup', parameters: { to: 'deed-backup.db' }, dry_run: true },
      { command: 'store backup', parameters: { to: 'deed-backup.db' }, confirm: '<token>' },
    ]);
  });

  it('does not write through call-read, nor read through call-write', async () => {
    const wrote = await connected.call('call-read', { command: 'push' });
    expect(wrote.error).toMatchObject({ code: 'E_USAGE', details: { tool: 'call-write' } });
    const read = await connected.call('call-write', { command: 'context' });
    expect(read.error).toMatchObject({ code: 'E_USAGE', details: { tool: 'call-read' } });
  });

  it('answers invalid arguments, unknown commands and invalid parameters with an error envelope', async () => {
    const extra = await connected.call('call-read', { command: 'context', paramters: {} });
    expect(extra.error).toMatchObject({ code: 'E_VALIDATION', details: { field: 'paramters' } });
    const unknown = await connected.call('call-read', { command: 'task lits' });
    expect(unknown.error).toMatchObject({ code: 'E_NOT_FOUND', details: { suggestion: 'task list' } });
    const bad = await connected.call('call-read', { command: 'task list', parameters: { limit: 'many' } });
    expect(bad.error?.code).toBe('E_VALIDATION');
    await expect(connected.client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool');
  });

  it.each([
    ['parameters as text', { parameters: '{"limit":1}' }, '"parameters" must be of type object'],
    ['a field without a list', { fields: 'id' }, '"fields" must be of type array'],
    ['no command', { command: undefined }, '"command" is required'],
    ['flags in the command', { command: 'task list --limit 1' }, 'The command contains flags'],
  ])('says what is wrong with %s', async (_what, given, message) => {
    const { error } = await connected.call('call-read', { command: 'task list', ...given });
    expect(error?.message).toContain(message);
  });

  it('names the place of a request id, a dry run or fields that are among the parameters', async () => {
    const call = { command: 'task create', parameters: { title: 'x', requestId: 'r' }, request_id: 'r' };
    expect((await connected.call('call-write', call)).error?.details.hint).toBe(
      'Pass request_id next to the parameters, not as one of them.',
    );
  });

  it('accepts the name of the program before a command, and answers a group with its commands', async () => {
    expect((await connected.call('call-read', { command: 'deed task list' })).data.items).toEqual([]);
    const group = await connected.call('describe', { command: 'config' });
    expect(group.error?.details.allowed).toEqual(['config get', 'config list']);
    const other = await connected.call('call-read', { command: 'task show' });
    expect(other.error?.details.suggestion).toBe('task get');
  });

  it('records a call that the client cancels as interrupted', async () => {
    const slow = { name: 'call-read', arguments: { command: 'triage plan', parameters: { window: '20s' } } };
    const call = connected.client.callTool(slow, { signal: AbortSignal.timeout(200) });
    await expect(call).rejects.toThrow();
    const ended = async (): Promise<unknown> =>
      (await connected.call('call-read', { command: 'audit list', fields: ['command', 'code'] })).data.items;
    await expect.poll(ended).toContainEqual({ command: 'triage plan', code: 'E_INTERRUPTED' });
  });
});

describe('mcp serve as a command', () => {
  it('ends with its envelope when the client disconnects', () => {
    const run = deed(['mcp', 'serve', '--port', '0', '--connection-file', 'unused.json'], {
      home: home.path,
    });
    expect(run.envelope.data).toEqual({ transport: 'stdio', calls: 0 });
    expect(run.code).toBe(0);
  });

  it('answers the calls of a client that closes its side after them, with or without a last line feed', () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'pipe', version: '1' },
    };
    const call = (id: number, title: string) => ({
      id,
      method: 'tools/call',
      params: {
        name: 'call-write',
        arguments: { command: 'task create', parameters: { title }, request_id: title },
      },
    });
    const messages = [{ id: 0, method: 'initialize', params }, call(1, 'first'), call(2, 'last')].map(
      (message) => JSON.stringify({ jsonrpc: '2.0', ...message }),
    );
    // Lines that are not messages have answers too.
    const input = ['not json', '[]', '{"id":9}', '', ...messages].join('\n');
    const run = deed(['mcp', 'serve', '--compact'], { home: home.path, input, ownProcess: true });
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ id }) => id)).toEqual([null, null, 9, 0, 1, 2, undefined]);
    expect(lines.slice(0, 3).map(({ error }) => (error as { code: number }).code)).toEqual([
      -32700, -32600, -32600,
    ]);
    expect(lines.at(-1)).toMatchObject({ data: { calls: 2 } });
    expect(deed(['task', 'list'], { home: home.path }).envelope.data.count).toBe(2);
  });

  it('rejects an unknown transport', () => {
    expect(deed(['mcp', 'serve', '--transport', 'tcp']).envelope.error?.code).toBe('E_VALIDATION');
  });

  it('answers invalid input in the protocol and continues', () => {
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' });
    const run = deed(['mcp', 'serve'], { home: home.path, input: `not json\n{"jsonrpc":"2.0"}\n${ping}\n` });
    expect(run.code).toBe(0);
    const lines = run.stdout.trim().split('\n');
    expect(lines.length).toBeGreaterThan(0);
  });

  it('answers every invalid request, in one sentence', () => {
    const clientInfo = { name: 'pipe', version: '1' };
    const initialize = { method: 'initialize', params: { capabilities: {}, clientInfo } };
    const valid = { ...initialize, params: { ...initialize.params, protocolVersion: '2025-06-18' } };
    const requests: object[] = [
      { ...initialize, params: { ...initialize.params, protocolVersion: null } },
      valid,
      { method: 'logging/setLevel', params: { level: 'loud' } },
      { method: 'resources/read', params: {} },
      { method: 'tools/call', params: { name: 'find', arguments: [] } },
      { method: 'ping', params: [] },
      { method: 5 },
    ];
    const input = requests.map((request, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`);
    const run = deed(['mcp', 'serve', '--compact'], { home: home.path, input: input.join('') });
    const errors = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; error?: { code: number; message: string } })
      .flatMap(({ id, error }) => (error === undefined ? [] : [[id, error.code, error.message]]));
    const levels = '"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"';
    const notMessage =
      'This is not a JSON-RPC 2.0 message: jsonrpc must be "2.0", id a string or an integer, method a string, and params an object.';
    expect(errors.toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
      [0, -32602, 'Invalid initialize request: params.protocolVersion: expected string, received null.'],
      [2, -32602, `Invalid logging/setLevel request: params.level: expected one of ${levels}.`],
      [3, -32602, 'Invalid resources/read request: params.uri: expected string, received undefined.'],
      [4, -32602, 'Invalid tools/call request: params.arguments: expected record, received array.'],
      [5, -32600, notMessage],
      [6, -32600, notMessage],
    ]);
  });
});

describe('mcp serve over http', () => {
  let server: HttpServer;
  beforeEach(async () => {
    server = await startHttp(home.path, home.path);
  });
  afterEach(() => server.stop());

  it('writes its URL and token only to a private file, and removes it', async () => {
    const file = join(home.path, 'connection.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const run = await server.stop();
    expect(run.code).toBe(130);
    expect(run.envelope.error?.code).toBe('E_INTERRUPTED');
    expect(run.stderr + run.stdout).not.toContain(server.token);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(home.path)).not.toContain('mcp');
  });
});

describe('mcp serve over http, reads', () => {
  const shared = createHome();
  let server: HttpServer;
  beforeAll(async () => {
    server = await startHttp(shared.path, shared.path);
  });
  afterAll(async () => {
    await server.stop();
    shared.dispose();
  });

  it('serves a client with the token', async () => {
    const own = independentClient();
    await connectHttp(own, server);
    const answer = await own.call('call-read', { command: 'context', fields: ['env'] });
    expect(answer).toMatchObject({ ok: true, data: { env: 'local' } });
    await own.client.close();
  });

  it.each([
    ['no token', {}, 401],
    ['another token', { authorization: 'Bearer 0000' }, 401],
    ['a foreign host name', { host: 'evil.example', authorization: 'token' }, 403],
    ['another origin', { origin: 'https://evil.example', authorization: 'token' }, 403],
  ])('rejects a request with %s', async (_what, headers: Record<string, string>, status) => {
    const given =
      headers.authorization === 'token' ? { ...headers, authorization: `Bearer ${server.token}` } : headers;
    expect(await post(server.url, given)).toBe(status);
  });

  it('serves only its path', async () => {
    const other = server.url.replace(/\/mcp$/u, '/other');
    expect(await post(other, { authorization: `Bearer ${server.token}` })).toBe(404);
  });

  it('listens only on loopback', () => {
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });

  it('reports a port that is in use', () => {
    const port = new URL(server.url).port;
    const run = deed(['mcp', 'serve', '--transport', 'http', '--port', port], { home: shared.path });
    expect(run.envelope.error).toMatchObject({ code: 'E_CONFLICT', details: { field: 'port' } });
  });
});

/** `fetch` sets host and origin itself; this function does not. */
function post(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on('error', reject);
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
}
