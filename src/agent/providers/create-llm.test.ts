import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLlmServer, type LlmServer } from '../../../test/fixtures/llm-server.ts';
import { rowsOf } from '../../../test/fixtures/start-node.ts';
import type { Message } from '../conversation.ts';
import type { LlmDelta, LlmOutcome, LlmParameters, LlmRequest } from '../llm-port.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { createLlm } from './create-llm.ts';
import { prepareProvider, type PreparedProvider } from './provider-family.ts';

const KEY = 'the-very-secret-key';
let server: LlmServer;
/** A server that must not be asked. */
let other: LlmServer;
beforeAll(async () => {
  [server, other] = await Promise.all([startLlmServer(), startLlmServer()]);
  server.mock.onMessage('weather', {
    toolCalls: [{ name: 'maps__weather', arguments: '{"city":"Oslo"}' }],
  });
  server.mock.onMessage('hello', {
    content: 'Good day to you.',
    usage: { input_tokens: 11, output_tokens: 5, promptTokenCount: 11, candidatesTokenCount: 5 },
  });
});
afterAll(async () => {
  await Promise.all([server.close(), other.close()]);
});
beforeEach(() => {
  server.requests.length = 0;
});

const FAMILIES = [
  'openai chat',
  'openai responses',
  'anthropic',
  'google',
  'openai-compatible',
  'openrouter',
  'ollama',
] as const;
type Family = (typeof FAMILIES)[number];

function provider(family: Family): PreparedProvider {
  const [type = '', mode] = family.split(' ');
  const base = { google: '/v1beta', openrouter: '/api/v1', ollama: '' }[type] ?? '/v1';
  return prepareProvider(
    'p',
    { type: type as 'openai', apiKey: KEY, baseUrl: `${server.url}${base}`, mode: mode as 'chat' },
    {},
  );
}

const STATUSES = [
  [401, 'auth'],
  [429, 'rate_limit'],
  [403, 'auth'],
  [402, 'quota'],
  [400, 'model_error'],
  [404, 'model_error'],
  [422, 'model_error'],
  [408, 'timeout'],
  [503, 'network'],
  [529, 'network'],
] as const;

const WEATHER: ToolDefinition = {
  name: 'maps__weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  origin: { kind: 'mcp', server: 'maps' },
};

/** The start of a PNG file. */
const PNG = 'iVBORw0KGgoA';

interface Ask extends Partial<LlmRequest> {
  readonly say?: string;
}

async function ask(family: Family, { say = 'hello', ...more }: Ask = {}): Promise<LlmOutcome> {
  const llm = createLlm({ p: provider(family) }, { fetch: globalThis.fetch, clock: { now: Date.now } });
  return llm.attempt({
    provider: 'p',
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: say },
    ],
    tools: [WEATHER],
    toolChoice: 'auto',
    parameters: {},
    stream: false,
    signal: new AbortController().signal,
    onDelta: () => undefined,
    ...more,
  });
}

it('sends parallel requests of one model with the parameters of each', async () => {
  const llm = createLlm(
    { p: provider('openai chat') },
    { fetch: globalThis.fetch, clock: { now: Date.now } },
  );
  const seeds = [1, 2, 3];
  await Promise.all(
    seeds.map((seed) =>
      llm.attempt({
        provider: 'p',
        // The SDK omits the temperature for this model, so that it is added to the body.
        model: 'o1',
        messages: [{ role: 'user', content: `hello ${seed}` }],
        tools: [],
        toolChoice: 'auto',
        parameters: { temperature: seed / 10 },
        stream: true,
        signal: new AbortController().signal,
        onDelta: () => undefined,
      }),
    ),
  );
  const sent = server.requests.map(({ body }) => {
    const { temperature, messages } = body as { temperature: number; messages: { content: unknown }[] };
    return [temperature, JSON.stringify(messages[0]?.content)];
  });
  expect(new Map(sent as [number, string][])).toEqual(
    new Map(seeds.map((seed) => [seed / 10, `"hello ${seed}"`])),
  );
});

describe.each(FAMILIES)('%s', (family) => {
  it.each([false, true])('returns text (stream: %s)', async (stream) => {
    const deltas: LlmDelta[] = [];
    const outcome = await ask(family, { stream, onDelta: (delta) => deltas.push(delta) });
    expect(outcome).toMatchObject({ ok: true, text: 'Good day to you.', toolCalls: [] });
    const usage = outcome.ok ? outcome.usage : undefined;
    expect([usage?.inputTokens, usage?.outputTokens].every((count) => Number(count) > 0)).toBe(true);
    expect(deltas.length).toBeGreaterThan(0);
    const streamed = deltas.flatMap((delta) => (delta.type === 'text' ? delta.text : [])).join('');
    expect(streamed).toBe(stream ? 'Good day to you.' : '');
  });

  it('receives files of the user and images of tools, or their description', async () => {
    const [photo, chart] = ['photo', 'chart'].map((text) => PNG + Buffer.from(text).toString('base64'));
    const messages: Message[] = [
      {
        role: 'user',
        content: 'weather',
        attachments: [{ mediaType: 'image/png', data: photo ?? '', name: 'a.png' }],
      },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'c1', name: 'maps__weather', arguments: '{}' },
          { id: 'c2', name: 'maps__weather', arguments: '{}' },
        ],
      },
      {
        role: 'tool',
        toolCallId: 'c1',
        toolName: 'maps__weather',
        content: 'a chart',
        attachments: [{ mediaType: 'image/png', data: chart ?? '' }],
      },
      { role: 'tool', toolCallId: 'c2', toolName: 'maps__weather', content: 'no chart' },
      { role: 'user', content: 'hello' },
    ];
    const sent = async (accepts: readonly 'image'[]): Promise<string> => {
      expect(await ask(family, { messages, accepts })).toMatchObject({ ok: true });
      return JSON.stringify(server.requests.at(-1)?.body);
    };
    const withImages = await sent(['image']);
    expect([photo, chart].map((data) => withImages.split(data ?? '').length - 1)).toEqual([1, 1]);
    const without = await sent([]);
    expect(without).not.toContain(PNG);
    expect(without).toContain('not accepted by this model');
  });

  it.each([false, true])('returns a tool call and accepts its result (stream: %s)', async (stream) => {
    const outcome = await ask(family, { stream, say: 'weather' });
    expect(outcome).toMatchObject({ ok: true, toolCalls: [{ name: 'maps__weather' }] });
    if (!outcome.ok) return;
    const [call] = outcome.toolCalls;
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: 'Oslo' });
    const followed = await ask(family, {
      stream,
      messages: [
        { role: 'user', content: 'weather' },
        { role: 'assistant', content: '', toolCalls: outcome.toolCalls },
        { role: 'tool', toolCallId: call?.id ?? '', toolName: 'maps__weather', content: 'sunny \uD800' },
        { role: 'system', content: 'This is the last turn.' },
        { role: 'user', content: 'hello' },
      ],
    });
    expect(followed).toMatchObject({ ok: true, text: 'Good day to you.' });
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(sent).toContain('sunny \uFFFD');
    expect(sent).toContain('This is the last turn.');
    // Only some families accept a system message in the middle of a conversation.
    const hasMiddleSystemMessage =
      /"role":"(?:system|developer)","content":[^}]*"This is the last turn/u.test(sent);
    expect(hasMiddleSystemMessage).toBe(/^openai (?:chat|responses)$|openrouter/u.test(family));
  });

  it('sends every configured parameter', async () => {
    const parameters: LlmParameters = {
      temperature: 0.25,
      topP: 0.75,
      topK: 33,
      maxOutputTokens: 777,
      repeatPenalty: 1.125,
      presencePenalty: 0.5,
      seed: 42,
      stopSequences: ['HALT'],
    };
    await ask(family, { parameters });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject(EXPECTED_BODY[family]);
  });

  it('sends the configured reasoning settings', async () => {
    await ask(family, {
      parameters: { reasoningEffort: 'high', maxOutputTokens: 9000 },
      model: reasoner(family),
    });
    await ask(family, {
      parameters: { extendedThinking: { budgetTokens: 2048 }, maxOutputTokens: 9000 },
      model: reasoner(family),
    });
    const [effort, thinking] = server.requests.map(({ body }) => body as object);
    expect([effort, thinking]).toMatchObject(EXPECTED_REASONING[family]);
  });

  it('sends provider options and headers, and the key only in headers', async () => {
    await ask(family, { parameters: { providerOptions: OPTIONS[family].given } });
    const [request] = server.requests;
    expect(request?.body).toMatchObject(OPTIONS[family].sent);
    expect(JSON.stringify(request?.headers)).toContain(KEY);
    expect(JSON.stringify(request?.body)).not.toContain(KEY);
  });

  it('makes one request, even when it fails', async () => {
    server.failNext({ status: 500, body: { error: { message: 'oops' } } });
    expect(await ask(family)).toMatchObject({ ok: false, class: 'network', status: 500 });
    expect(server.requests).toHaveLength(1);
  });

  // The meaning of a status does not depend on the family, so one of them has all in the short suite.
  it.each(family === 'openai chat' ? STATUSES : rowsOf(STATUSES, 2))(
    'classifies status %i as %s',
    async (status, kind) => {
      server.failNext({
        status,
        body: { error: { message: `rejected key ${KEY}` } },
        headers: { 'retry-after': '7' },
      });
      const outcome = await ask(family, { stream: status % 2 === 0 });
      expect(outcome).toMatchObject({ ok: false, class: kind, status });
      expect(JSON.stringify(outcome)).not.toContain(KEY);
      if (status === 429) expect(outcome).toMatchObject({ retryAfterMs: 7000 });
    },
  );

  it('follows a redirect only to the same origin and with the same method, so that no key is sent elsewhere', async () => {
    for (const location of [`${other.url}/v1/stolen`, `${server.url}/v1/login`]) {
      server.requests.length = 0;
      const status = location.startsWith(server.url) ? 302 : 307;
      server.failNext({ status, headers: { location } });
      expect(await ask(family)).toMatchObject({
        ok: false,
        class: 'model_error',
        status,
        message: expect.stringContaining(`it redirects to ${location}, which is not followed`),
      });
      expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
    }
    server.failNext({ status: 308, headers: { location: server.requests[0]?.path ?? '' } });
    expect(await ask(family)).toMatchObject({ ok: true, text: 'Good day to you.' });
  });

  it('classifies a response that is not JSON as model_error', async () => {
    server.failNext({ garbage: '<html>Bad gateway</html>' });
    expect(await ask(family)).toMatchObject({ ok: false, class: 'model_error' });
  });

  it('explains JSON or a web page in place of a stream, and classifies an error in it', async () => {
    server.failNext({ status: 200, body: '<html>Please sign in</html>' });
    expect(await ask(family, { stream: true })).toMatchObject({
      ok: false,
      class: 'model_error',
      message: expect.stringContaining('answers with a web page'),
    });
    server.failNext({ status: 200, body: { id: '1', choices: [{ message: { content: 'Whole.' } }] } });
    expect(await ask(family, { stream: true })).toMatchObject({
      ok: false,
      class: 'model_error',
      message: expect.stringContaining('set "stream": false'),
    });
    const error = { code: 429, message: 'Upstream is busy', metadata: { headers: { 'retry-after': '3' } } };
    server.failNext({ status: 200, body: { error } });
    expect(await ask(family, { stream: true })).toEqual({
      ok: false,
      class: 'rate_limit',
      status: 429,
      retryAfterMs: 3000,
      message: 'Upstream is busy',
    });
  });

  it.each(['reset', 'close'] as const)('rejects an incomplete response: stream ended by %s', async (end) => {
    server.failNext({ after: 150, end });
    // The SDK for compatible providers reports a missing end as an invalid response. The session retries both immediately.
    const isModelError = end === 'close' && /compatible|ollama/u.test(family);
    expect(await ask(family, { stream: true })).toMatchObject({
      ok: false,
      class: isModelError ? 'model_error' : 'network',
    });
  });

  it('stops reading a stalled stream when the signal aborts', async () => {
    server.failNext({ after: 60, end: 'stall' });
    const controller = new AbortController();
    let alive = 0;
    const pending = ask(family, {
      stream: true,
      signal: controller.signal,
      onDelta: () => {
        alive += 1;
        setTimeout(() => controller.abort(new Error('idle')), 20);
      },
    });
    expect(await pending).toMatchObject({ ok: false, class: 'aborted' });
    expect(alive).toBeGreaterThan(0);
  });
});

const reasoner = (family: Family): string =>
  family === 'anthropic' ? 'claude-opus-4-1' : family === 'google' ? 'gemini-3-pro' : 'o3';

const CHAT = { temperature: 0.25, top_p: 0.75, presence_penalty: 0.5, seed: 42, stop: ['HALT'] };
const EXPECTED_BODY: Readonly<Record<Family, object>> = {
  'openai chat': { ...CHAT, frequency_penalty: 1.125, top_k: 33, max_tokens: 777 },
  'openai responses': { temperature: 0.25, top_p: 0.75, top_k: 33, max_output_tokens: 777 },
  anthropic: { temperature: 0.25, top_k: 33, max_tokens: 777, stop_sequences: ['HALT'] },
  google: {
    generationConfig: {
      temperature: 0.25,
      topP: 0.75,
      topK: 33,
      maxOutputTokens: 777,
      frequencyPenalty: 1.125,
      presencePenalty: 0.5,
      seed: 42,
      stopSequences: ['HALT'],
    },
  },
  'openai-compatible': { ...CHAT, top_k: 33, repeat_penalty: 1.125, max_tokens: 777 },
  openrouter: { ...CHAT, top_k: 33, repetition_penalty: 1.125, max_tokens: 777 },
  ollama: { ...CHAT, top_k: 33, repeat_penalty: 1.125, max_tokens: 777 },
};

const EXPECTED_REASONING: Readonly<Record<Family, [object, object]>> = {
  'openai chat': [{ reasoning_effort: 'high' }, { reasoning_effort: 'medium' }],
  'openai responses': [{ reasoning: { effort: 'high' } }, { reasoning: { effort: 'medium' } }],
  anthropic: [{ thinking: { type: 'enabled' } }, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
  google: [
    { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } },
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } } },
  ],
  'openai-compatible': [{ reasoning_effort: 'high' }, { reasoning_effort: 'medium' }],
  openrouter: [{ reasoning: { effort: 'high' } }, { reasoning: { max_tokens: 2048 } }],
  ollama: [{ reasoning_effort: 'high' }, { reasoning_effort: 'medium' }],
};

const OPTIONS: Readonly<Record<Family, { given: Record<string, string>; sent: object }>> = {
  'openai chat': { given: { user: 'ada' }, sent: { user: 'ada' } },
  'openai responses': { given: { user: 'ada' }, sent: { user: 'ada', store: false } },
  anthropic: { given: { effort: 'low' }, sent: { output_config: { effort: 'low' } } },
  google: { given: { cachedContent: 'c' }, sent: { cachedContent: 'c' } },
  'openai-compatible': { given: { odd_option: 'x' }, sent: { odd_option: 'x' } },
  openrouter: { given: { odd_option: 'x' }, sent: { odd_option: 'x' } },
  ollama: { given: { odd_option: 'x' }, sent: { odd_option: 'x' } },
};

describe('a failure', () => {
  it('is classified as quota by its code, regardless of the status', async () => {
    server.failNext({
      status: 429,
      headers: { 'retry-after': '1' },
      body: {
        error: {
          message: 'You exceeded your current quota',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      },
    });
    expect(await ask('openai chat')).toMatchObject({ ok: false, class: 'quota', status: 429 });
  });

  it('is classified as auth for a Google 400 with reason API_KEY_INVALID', async () => {
    server.failNext({
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'API key not valid',
          status: 'INVALID_ARGUMENT',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      },
    });
    expect(await ask('google')).toMatchObject({ ok: false, class: 'auth' });
  });

  it('is classified as network when the connection is refused', async () => {
    const llm = createLlm(
      { p: { ...provider('openai chat'), baseUrl: 'http://127.0.0.1:1/v1' } },
      { fetch: globalThis.fetch, clock: { now: Date.now } },
    );
    const outcome = await llm.attempt({
      provider: 'p',
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      tools: [],
      toolChoice: 'auto',
      parameters: {},
      stream: false,
      signal: new AbortController().signal,
      onDelta: () => undefined,
    });
    expect(outcome).toMatchObject({ ok: false, class: 'network' });
  });

  it('in the middle of a stream is classified by its type', async () => {
    server.failNext({
      garbage:
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    });
    expect(await ask('anthropic', { stream: true })).toMatchObject({
      ok: false,
      class: 'network',
      message: 'Overloaded',
    });
  });
});

describe('a provider', () => {
  it('uses the key from the environment for its default base URL only', () => {
    const env = { OPENAI_API_KEY: KEY };
    expect(prepareProvider('openai', {}, env).apiKey).toBe(KEY);
    expect(prepareProvider('openai', { baseUrl: 'http://elsewhere.test/v1' }, env).apiKey).toBeUndefined();
    expect(() => prepareProvider('openai', {}, {})).toThrow('has no valid apiKey');
    expect(() => prepareProvider('mine', {}, {})).toThrow('has no valid baseUrl');
    expect(() => prepareProvider('mine', { baseUrl: 'file:///etc' }, {})).toThrow('has no valid baseUrl');
    expect(prepareProvider('openai', {}, env).baseUrl).toBe('https://api.openai.com/v1');
    expect(prepareProvider('ollama', { baseUrl: 'http://h:1/api' }, {}).baseUrl).toBe('http://h:1/v1');
  });
});
