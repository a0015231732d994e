import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  eventsOf,
  llmEntries,
  LocalHost,
  logs,
  runAgent,
  sessionConfig,
  target,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';
import { Fault } from '../../base/fault.ts';
import type { SessionLog } from '../session-log.ts';
import type { SessionRecordBody } from '../session-record.ts';
import type { ToolHost } from '../tool-host.ts';
import { AIAgentSession } from './ai-agent-session.ts';

/** Returns a tool that runs until it is aborted, and a promise that resolves when it starts. */
function endlessTool() {
  let begin = (): void => {};
  const running = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return {
    running,
    tool: {
      name: 'local__endless',
      run: async (_args: object, { signal }: { signal: AbortSignal }) => {
        begin();
        return new Promise<string>((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted by signal'))),
        );
      },
    },
  };
}
const callEndless = { toolCalls: [{ name: 'local__endless' }] };

describe('abort', () => {
  it('cancels a running tool and the session immediately, and reports the results so far', async () => {
    const { tool, running } = endlessTool();
    const abort = new AbortController();
    void running.then(() => abort.abort());
    const { result, requests, host } = await runAgent({
      steps: [echoStep('gathered'), callEndless, { report: 'never requested' }],
      tools: [ECHO, tool],
      ports: { signal: abort.signal },
    });
    expect(requests.length).toBe(2);
    expect(result).toMatchObject({
      success: false,
      errorKind: 'aborted',
      finalReport: { status: 'failure', metadata: { reason: 'aborted' } },
    });
    expect(result.finalReport.content).toContain('gathered');
    expect(toolMessages(result).at(-1)?.content).toBe('(tool failed: the session was aborted)');
    expect(host.closed).toBe(1);
  });

  it('cancels a pending request', async () => {
    const abort = new AbortController();
    const { result } = await runAgent({
      steps: [{ hang: true }],
      ports: {
        signal: abort.signal,
        onEvent: ({ type }) => {
          if (type === 'llm.requested') setImmediate(() => abort.abort());
        },
      },
    });
    expect(result).toMatchObject({ success: false, errorKind: 'aborted' });
    expect(llmEntries(result)).toMatchObject([{ status: 'failed' }]);
  });

  it('before the start prevents any request', async () => {
    const { result, requests } = await runAgent({
      steps: [{ report: 'x' }],
      ports: { signal: AbortSignal.abort() },
    });
    expect(requests.length).toBe(0);
    expect(result.finalReport.metadata).toMatchObject({ reason: 'aborted' });
  });
});

describe('graceful stop', () => {
  it('cancels running tools and requests the report once', async () => {
    const { tool, running } = endlessTool();
    const stop = new AbortController();
    void running.then(() => stop.abort());
    const run = await runAgent({
      steps: [callEndless, { report: 'what I have' }],
      tools: [tool],
      ports: { stopSignal: stop.signal },
    });
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual([
      '(tool failed: the session was stopped)',
    ]);
    expect(run.requests[1]?.tools.map(({ name }) => name)).toEqual(['agent__final_report']);
    expect(run.result).toMatchObject({ success: true, finalReport: { content: 'what I have' } });
  });

  it('ends a rate limit wait', async () => {
    const stop = new AbortController();
    const { result } = await runAgent({
      steps: [{ failure: { class: 'rate_limit', retryAfterMs: 60_000 } }, { report: 'what I have' }],
      tools: [ECHO],
      ports: {
        stopSignal: stop.signal,
        sleep: async (_ms, signal) => {
          stop.abort();
          expect(signal.aborted).toBe(true);
        },
      },
    });
    expect(result.finalReport.content).toBe('what I have');
  });

  it('in the middle of a response keeps the partial text', async () => {
    const abort = new AbortController();
    const { result } = await runAgent({
      llm: {
        attempt: async ({ onDelta }) => {
          onDelta({ type: 'text', text: 'Half of the ' });
          onDelta({ type: 'text', text: 'answer' });
          abort.abort();
          return new Promise(() => undefined);
        },
      },
      ports: { signal: abort.signal },
    });
    expect(result.finalReport.content).toMatch(/aborted[\s\S]*Half of the answer/u);
  });

  it('generates a synthetic report when the final turn returns none', async () => {
    const { result } = await runAgent({
      steps: [{ text: '' }],
      ports: { stopSignal: AbortSignal.abort() },
      limits: { maxRetries: 1 },
    });
    expect(result.finalReport.metadata).toMatchObject({ reason: 'stopped' });
  });
});

describe('caps', () => {
  const priced = [target('one', { pricing: { input: 1000, output: 1000 } })];
  const usage = { inputTokens: 90, outputTokens: 10, cacheReadTokens: 0 };

  it.each([
    ['maxCostUsd', { maxCostUsd: 0.35 }, 'max_cost'],
    ['maxTotalTokens', { maxTotalTokens: 350 }, 'max_tokens'],
  ])('%s forces the final turn before the cap is exceeded', async (_n, limits, reason) => {
    const run = await runAgent({
      steps: [echoStep('a'), echoStep('b'), { report: 'within the budget' }, { report: 'too late' }],
      usage,
      tools: [ECHO],
      targets: priced,
      limits,
    });
    expect(eventsOf(run, 'llm.requested').map(({ forcedFinalReason }) => forcedFinalReason)).toEqual([
      undefined,
      undefined,
      reason,
    ]);
    expect(llmEntries(run.result).reduce((sum, { tokens }) => sum + tokens.totalTokens, 0)).toBe(300);
    expect(run.result).toMatchObject({ success: true, finalReport: { content: 'within the budget' } });
  });

  it.each([
    ['maxCostUsd', { maxCostUsd: 0.5 }, 'max_cost'],
    ['maxTotalTokens', { maxTotalTokens: 500 }, 'max_tokens'],
  ])(
    '%s exceeded by the final turn ends the session with a synthetic report and no further request',
    async (_n, limits, reason) => {
      const { result, requests } = await runAgent({
        steps: [echoStep('a'), { text: '' }, { text: '' }],
        usage: { inputTokens: 900, outputTokens: 100, cacheReadTokens: 0 },
        tools: [ECHO],
        targets: priced,
        limits,
      });
      expect(requests.length).toBe(2);
      expect(result.finalReport).toMatchObject({ status: 'failure', metadata: { reason } });
      expect(result.finalReport.content).toContain('local__echo: a');
    },
  );

  it.each([
    ['maxCostUsd', { maxCostUsd: 0.05 }, 'max_cost', 'maxCostUsd (0.05) does not allow a single request'],
    ['maxTotalTokens', { maxTotalTokens: 50 }, 'max_tokens', 'maxTotalTokens (50) does not allow a single'],
  ])('%s below the smallest request sends none', async (_n, limits, reason, message) => {
    const { result, requests } = await runAgent({ steps: [], tools: [ECHO], targets: priced, limits });
    expect(requests).toEqual([]);
    expect(result).toMatchObject({ success: false, finalReport: { metadata: { reason } } });
    expect(result.error).toContain(message);
  });

  it('count the tool definitions of the first request', async () => {
    const described = { ...ECHO, description: 'word '.repeat(400) };
    const run = await runAgent({
      steps: [{ report: 'at once' }],
      tools: [described],
      limits: { maxTotalTokens: 700 },
    });
    expect(eventsOf(run, 'llm.requested').map(({ forcedFinalReason }) => forcedFinalReason)).toEqual([
      'max_tokens',
    ]);
    expect(run.requests[0]?.tools).toEqual([]);
  });

  it('are not charged with the tool definitions of a request twice', async () => {
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    const run = await runAgent({
      steps: [
        { ...echoStep('a'), usage: none },
        { ...echoStep('b'), usage: none },
        { report: 'x', usage: none },
      ],
      tools: [{ ...ECHO, description: 'word '.repeat(400) }],
    });
    const [first = 0, ...later] = llmEntries(run.result).map(({ tokens }) => tokens.inputTokens);
    expect(first).toBeGreaterThan(400);
    for (const tokens of later) expect(tokens).toBeLessThan(first + 150);
  });

  it('are charged with the prompt alone for a request whose outcome is unknown', async () => {
    const records: SessionRecordBody[] = [];
    const sessionLog: SessionLog = {
      hold: (action) => action(),
      append: (record) => void records.push(record),
      abandon: () => {},
      close: () => {},
    };
    await runAgent({
      steps: [echoStep('a'), { report: 'x' }],
      usage: { inputTokens: 600, outputTokens: 10, cacheReadTokens: 0 },
      tools: [{ ...ECHO, description: 'word '.repeat(400) }],
      ports: { sessionLog },
    });
    const charged = records.flatMap((record) =>
      record.type === 'llm.requested' && record.entry.type === 'llm' ? record.entry.tokens.inputTokens : [],
    );
    expect(charged).toHaveLength(2);
    expect(charged[1]).toBeGreaterThan(610);
    expect(charged[1]).toBeLessThan(700);
  });

  it('apply to estimated usage when the provider reports none', async () => {
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    const run = await runAgent({
      steps: [
        { ...echoStep('a'), usage: none },
        { report: 'in time', usage: none },
      ],
      tools: [ECHO],
      limits: { maxTotalTokens: 350 },
    });
    expect(eventsOf(run, 'llm.requested').map(({ forcedFinalReason }) => forcedFinalReason)).toEqual([
      undefined,
      'max_tokens',
    ]);
    const [first] = llmEntries(run.result);
    expect(first?.tokens).toMatchObject({ estimated: true });
    expect(first?.tokens.inputTokens).toBe(eventsOf(run, 'llm.requested')[0]?.expectedTokens);
  });

  it('maxCostUsd logs a warning for targets without a price', async () => {
    const run = await runAgent({ steps: [{ report: 'x' }], limits: { maxCostUsd: 1 } });
    expect(logs(run, 'WRN').map(({ message }) => message)).toEqual([
      'maxCostUsd counts script/one only if the provider reports the cost: no price is configured.',
    ]);
  });

  it('maxDurationMs first stops the session gracefully, then aborts it', async () => {
    const timers: { ms: number; action: () => void }[] = [];
    const ports = {
      timer: (ms: number, action: () => void) => {
        timers.push({ ms, action });
        return () => {};
      },
    };
    const { tool, running } = endlessTool();
    void running.then(() => timers[0]?.action());
    const run = await runAgent({
      steps: [callEndless, { report: 'in time' }],
      tools: [tool],
      limits: { maxDurationMs: 1000 },
      ports,
    });
    expect(timers.map(({ ms }) => ms)).toEqual([800, 1000]);
    expect(toolMessages(run.result)[0]?.content).toBe('(tool failed: the session reached its time limit)');
    expect(run.result).toMatchObject({ success: true, finalReport: { content: 'in time' } });

    timers.length = 0;
    const late = await runAgent({
      steps: [{ hang: true }],
      limits: { maxDurationMs: 1000 },
      ports: {
        ...ports,
        onEvent: ({ type }) => {
          if (type === 'llm.requested') setImmediate(() => timers[1]?.action());
        },
      },
    });
    expect(late.result).toMatchObject({
      success: false,
      errorKind: 'session',
      error: 'maxDurationMs (1000) was reached.',
      finalReport: { metadata: { reason: 'max_duration' } },
    });
  });
});

describe('a session', () => {
  const failingHost = (over: Partial<ToolHost>): ToolHost => ({
    name: 'broken',
    start: async () => {},
    listTools: () => [],
    call: async () => ({ ok: false, reason: 'never' }),
    close: async () => {},
    ...over,
  });

  it('fails with kind tools and a report when a tool host does not start, and closes all hosts', async () => {
    let closed = 0;
    const { result } = await runAgent({
      steps: [{ report: 'x' }],
      ports: {
        tools: [
          failingHost({
            start: async () => {
              throw new Fault('E_NOT_FOUND', 'no such command');
            },
            close: async () => {
              closed += 1;
            },
          }),
        ],
      },
    });
    expect(closed).toBe(1);
    expect(result).toMatchObject({
      success: false,
      errorKind: 'tools',
      error: 'The tools of broken are unavailable: no such command',
      finalReport: { status: 'failure', metadata: { reason: 'tools' } },
    });
  });

  it('does not wait for a slow tool host when another one fails to start', async () => {
    let aborted = false;
    const { result } = await runAgent({
      steps: [{ report: 'x' }],
      ports: {
        tools: [
          failingHost({
            name: 'slow',
            start: async (signal) =>
              new Promise((_, reject) =>
                signal.addEventListener('abort', () => {
                  aborted = true;
                  reject(new Error('gave up'));
                }),
              ),
          }),
          failingHost({
            start: async () => {
              throw new Error('no such command');
            },
          }),
        ],
      },
    });
    expect(aborted).toBe(true);
    expect(result.error).toBe('The tools of broken are unavailable: no such command');
  });

  it('fails with kind schema for an invalid tool schema', async () => {
    const { result } = await runAgent({
      steps: [{ report: 'x' }],
      tools: [{ ...ECHO, inputSchema: { type: 'object', properties: 5 } }],
    });
    expect(result).toMatchObject({ success: false, errorKind: 'schema' });
    expect(result.error).toContain('local__echo');
  });

  it('accepts tool schemas of older drafts and with unknown keywords', async () => {
    const inputSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }] } },
      'x-own': true,
    };
    const { result } = await runAgent({
      steps: [{ toolCalls: [{ name: 'local__echo', arguments: { pair: [1] } }] }, { report: 'x' }],
      tools: [{ ...ECHO, inputSchema }],
    });
    expect(toolMessages(result)[0]?.content).toContain('/pair/0 must be string');
  });

  it('keeps the first of two tools with one name of a server, and warns with the server', async () => {
    const second = { ...ECHO, description: 'another', run: () => 'second' };
    const run = await runAgent({ steps: [echoStep('first'), { report: 'x' }], tools: [ECHO, second] });
    expect(run.result.success).toBe(true);
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual(['first']);
    expect(logs(run, 'WRN').map(({ message }) => message)).toEqual([
      'The tool server local lists local__echo more than once; only the first is used.',
    ]);
  });

  it('fails with kind config for a tool name of two hosts, and names both', async () => {
    const [one, two] = ['one', 'two'].map((name) =>
      failingHost({ name, listTools: () => new LocalHost([ECHO]).listTools() }),
    ) as [ToolHost, ToolHost];
    const { result } = await runAgent({ steps: [{ report: 'x' }], ports: { tools: [one, two] } });
    expect(result).toMatchObject({
      errorKind: 'config',
      error: 'Duplicate tool name: local__echo, of one and two.',
    });
  });

  it('fails with kind config for a duplicate tool name or an unknown queue', async () => {
    const own = { ...ECHO, origin: { kind: 'rest', server: 'rest' } } as const;
    const twice = await runAgent({ steps: [{ report: 'x' }], tools: [own, own] });
    const unknownQueue = await runAgent({ steps: [{ report: 'x' }], tools: [{ ...ECHO, queue: 'nowhere' }] });
    expect(twice.result).toMatchObject({
      errorKind: 'config',
      error: 'Duplicate tool name: local__echo.',
    });
    expect(unknownQueue.result).toMatchObject({
      errorKind: 'config',
      error: 'Tool local__echo uses the unknown queue "nowhere".',
    });
  });

  it('never throws, even if its dependencies do', async () => {
    const { result } = await runAgent({
      steps: [echoStep('x')],
      ports: {
        tools: [
          failingHost({
            listTools: () => {
              throw new Error('a bug');
            },
            close: async () => {
              throw new Error('another');
            },
          }),
        ],
        onEvent: () => {
          throw new Error('a third');
        },
        saveSnapshot: () => {
          throw new Error('a fourth');
        },
      },
    });
    expect(result).toMatchObject({
      success: false,
      error: 'Internal error: a bug',
      finalReport: { status: 'failure', metadata: { reason: 'internal' } },
    });
  });

  it('runs once: a second call returns the same result', async () => {
    const host = new LocalHost([ECHO]);
    const session = AIAgentSession.create(sessionConfig(), {
      llm: { attempt: async () => ({ ok: false, class: 'auth', message: 'no' }) },
      tools: [host],
      clock: { now: () => 0 },
      sleep: async () => {},
    });
    expect(await session.run()).toBe(await session.run());
    expect([host.started, host.closed]).toEqual([1, 1]);
  });

  it.each([
    ['no target', { targets: [] }],
    ['maxTurns 0', { limits: { maxTurns: 0 } }],
    ['a fractional maxRetries', { limits: { maxRetries: 0.5 } }],
    ['a cap of 0', { limits: { maxCostUsd: 0 } }],
    ['a duration above the timer limit', { limits: { maxDurationMs: 2 ** 31 } }],
    ['a NaN timeout', { limits: { toolTimeoutMs: Number.NaN } }],
    ['a context window that is too small', { targets: [target('one', { contextWindow: 1000 })] }],
    ['a queue with concurrency 0', { queues: { default: { concurrent: 0 } } }],
    ['an invalid output schema', { output: { format: 'json', schema: { type: 'nothing' } } as const }],
  ])('is rejected at creation with %s', (_name, options) => {
    const ports = {
      llm: { attempt: async () => expect.fail() },
      tools: [],
      clock: { now: () => 0 },
      sleep: async () => {},
    };
    expect(() => AIAgentSession.create(sessionConfig(options), ports)).toThrow(Fault);
  });

  it('emits an event for each turn, request, tool and its end', async () => {
    const run = await runAgent({ steps: [echoStep('a'), { report: 'x' }], tools: [ECHO] });
    expect(run.events.map(({ type }) => type).filter((type) => type !== 'accounting.added')).toEqual([
      'session.started',
      'turn.started',
      'llm.requested',
      'llm.answered',
      'tool.queued',
      'tool.started',
      'tool.finished',
      'turn.finished',
      'turn.started',
      'llm.requested',
      'llm.answered',
      'turn.finished',
      'session.finished',
    ]);
    expect(logs(run, 'WRN')).toEqual([]);
  });
});
