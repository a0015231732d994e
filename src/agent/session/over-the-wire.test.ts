import { describe, expect } from 'vitest';
import { mcpServer } from '../../../test/fixtures/run-ai-agent.ts';
import { chatDelta, sse, WIRE_KEY, wireTest as test } from '../../../test/fixtures/wire-session.ts';
import { rowsOf } from '../../../test/fixtures/start-node.ts';

/** Sessions over real sockets: what is sent to a provider, and what a provider can send. */
const hasToolResult = ({ messages }: { messages: { role: string }[] }): boolean =>
  messages.some(({ role }) => role === 'tool');
const names = (body: { tools?: { function: { name: string } }[] }): string[] =>
  (body.tools ?? []).map((tool) => tool.function.name);

describe.concurrent('a stream', () => {
  test('without a finish reason is accepted with a warning when it ends with its marker', async ({
    server,
    runSession,
  }) => {
    const call = {
      name: 'agent__final_report',
      arguments: '{"format":"markdown","report_content":"Whole."}',
    };
    server.failNext({
      garbage: sse(
        chatDelta({
          role: 'assistant',
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }],
        }),
        '[DONE]',
      ),
    });
    const { result, warnings } = await runSession({ settings: { maxTurns: 1, maxRetries: 1 } });
    expect([result.finalReport.content, server.requests.length]).toEqual(['Whole.', 1]);
    expect(warnings.join()).toContain('no finish reason');
  });

  test('without a finish reason and without its marker is retried', async ({ server, runSession }) => {
    server.failNext({ garbage: sse(chatDelta({ role: 'assistant', content: 'Half of the' })) });
    server.mock.onMessage(/./u, { content: 'All of it.' });
    const { result } = await runSession({ settings: { maxTurns: 1 } });
    expect([result.finalReport.content, server.requests.length]).toEqual(['All of it.', 2]);
  });
});

describe.concurrent('a rate limit', () => {
  test('with Retry-After waits that long, regardless of the reset headers', async ({
    server,
    runSession,
  }) => {
    server.failNext({
      status: 429,
      headers: { 'retry-after': '1', 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '3s' },
    });
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const { result, events } = await runSession({ settings: { maxTurns: 1 } });
    expect(result.success).toBe(true);
    expect(events.flatMap((event) => (event.type === 'llm.failed' ? event.waitMs : []))).toEqual([1000]);
  });
});

describe.concurrent('a limit on spending', () => {
  test.for([
    'enforced_spend_limit_reached',
    'organization_spend_limit_exceeded',
    'project_spend_limit_exceeded',
    'organization_usage_limit_exceeded',
    'credit_balance_exhausted',
    'insufficient_credits',
    'payment_required',
  ])('%s ends the session without a retry', async (code, { server, runSession }) => {
    server.failNext({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { code, message: 'No.' } },
    });
    const { result } = await runSession();
    expect([result.errorKind, server.requests.length]).toEqual(['quota', 1]);
  });

  test.for(['rate_limit_exceeded', 'load_balancer_limit', 'tokens_per_minute_exceeded'])(
    '%s does not count as one, and is retried',
    async (code, { server, runSession }) => {
      server.failNext({
        status: 429,
        headers: { 'retry-after': '0' },
        body: { error: { code, message: 'Slow.' } },
      });
      server.mock.onMessage(/./u, { content: 'All is well.' });
      expect((await runSession({ settings: { maxTurns: 1 } })).result.success).toBe(true);
    },
  );
});

describe.concurrent('an unknown model', () => {
  const missing = {
    status: 404,
    body: { error: { message: 'The model does not exist', code: 'model_not_found' } },
  };

  test('ends the session after one request', async ({ server, runSession }) => {
    server.failNext(missing, missing, missing, missing);
    const { result } = await runSession();
    expect(server.requests).toHaveLength(1);
    expect(result.finalReport.metadata).toMatchObject({ reason: 'model_not_found' });
    expect(result.error).toContain('p/any');
  });

  test('is replaced by the next one', async ({ server, runSession }) => {
    server.failNext(missing);
    server.mock.onMessage(/./u, { content: 'All is well.' });
    const { result } = await runSession({ settings: { models: ['p/gone', 'p/here'], maxTurns: 1 } });
    expect([result.success, server.requests.map(({ body }) => body.model as string)]).toEqual([
      true,
      ['gone', 'here'],
    ]);
  });
});

describe.concurrent('the final turn', () => {
  test.for(
    rowsOf([
      ['native', ['agent__final_report'], 'required'],
      ['xml-final', ['agent__final_report'], 'auto'],
      ['xml', [], undefined],
    ]),
  )('in %s offers only the report', async ([toolingTransport, tools, choice], { server, runSession }) => {
    server.mock.on({ predicate: hasToolResult }, { content: 'Seen.' });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__echo', arguments: '{}' }] });
    await runSession({ settings: { toolingTransport, tools: ['tool'], maxTurns: 2 } });
    const last = server.requests.at(-1)?.body as { tool_choice?: string; tools?: never };
    expect([names(last), last.tool_choice]).toEqual([tools, choice]);
  });

  test('in xml-final declares no tool when the conversation has no tool call', async ({
    server,
    runSession,
  }) => {
    server.mock.onMessage(/./u, { content: 'Seen.' });
    await runSession({ settings: { toolingTransport: 'xml-final', tools: ['tool'], maxTurns: 1 } });
    expect(names(server.requests[0]?.body)).toEqual([]);
  });

  test('in xml-final accepts the report as a tool call', async ({ server, runSession }) => {
    const report = {
      name: 'agent__final_report',
      arguments: '{"format":"markdown","report_content":"By tool."}',
    };
    server.mock.on({ predicate: hasToolResult }, { toolCalls: [report] });
    server.mock.onMessage(/./u, { toolCalls: [{ name: 'tool__echo', arguments: '{}' }] });
    const { result } = await runSession({
      settings: { toolingTransport: 'xml-final', tools: ['tool'], maxTurns: 2 },
    });
    expect(result.finalReport.content).toBe('By tool.');
  });
});

describe.concurrent('text that was cut off at the output limit', () => {
  test('is marked in the report and in the log', async ({ server, runSession }) => {
    server.mock.onMessage(/./u, { content: 'The first half of', finishReason: 'length' });
    const { result, warnings } = await runSession({ settings: { maxTurns: 1 } });
    expect(result.finalReport).toMatchObject({ content: 'The first half of', metadata: { truncated: true } });
    expect(warnings.join()).toContain('cut off at the output limit');
  });

  test('is named in the notice of a retry and in the failure report', async ({ server, runSession }) => {
    server.mock.onMessage(/./u, { content: 'The first half of', finishReason: 'length' });
    const { result } = await runSession({
      settings: { maxTurns: 2, maxRetries: 2, format: 'json' },
      outputSchema: { type: 'object' },
    });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('cut off at the output limit');
    expect(JSON.stringify(result.finalReport.content_json)).toContain('cut off at the output limit');
  });

  test('is not accepted as a complete report if it is in a tool call', async ({ server, runSession }) => {
    const half = {
      name: 'agent__final_report',
      arguments: '{"format":"markdown","report_content":"The first',
    };
    const start = {
      role: 'assistant',
      tool_calls: [{ index: 0, id: 'c1', type: 'function', function: half }],
    };
    server.failNext({ garbage: sse(chatDelta(start), chatDelta({}, 'length'), '[DONE]') });
    server.mock.onMessage(/./u, { content: 'All of it.' });
    const { result } = await runSession({ settings: { maxTurns: 1 } });
    expect([result.finalReport.content, server.requests.length]).toEqual(['All of it.', 2]);
  });
});

describe.concurrent('a key in a report', () => {
  test('is masked, and the log has a warning', async ({ server, runSession }) => {
    server.mock.onMessage(/./u, { content: `The key is ${WIRE_KEY}.` });
    const { result, warnings } = await runSession({ settings: { maxTurns: 1 } });
    expect(result.finalReport.content).toBe('The key is [REDACTED].');
    expect(warnings.join()).toContain('replaced by [REDACTED]');
  });
});

describe.concurrent('the latency of a tool call', () => {
  test('does not include the time in its queue', async ({ server, runSession }) => {
    server.mock.on({ predicate: hasToolResult }, { content: 'Seen.' });
    const hang = { name: 'tool__hang', arguments: '{}' };
    server.mock.onMessage(/./u, { toolCalls: [hang, hang, hang] });
    const { result } = await runSession({
      settings: { tools: ['tool'], maxTurns: 2, toolTimeoutMs: 300 },
      config: {
        providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
        mcpServers: { tool: mcpServer('faulty') },
        queues: { default: { concurrent: 1 } },
      },
    });
    const entries = result.accounting.filter((entry) => entry.type === 'tool');
    expect(entries).toHaveLength(3);
    for (const { latency } of entries) expect(latency).toBeLessThan(550);
    const [first = 0, , last = 0] = entries.map(({ timestamp }) => timestamp);
    expect(last - first).toBeGreaterThanOrEqual(500);
  });
});
