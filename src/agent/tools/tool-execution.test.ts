import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  eventsOf,
  logs,
  runAgent,
  target,
  toolEntries,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';

describe('toolResponseMaxBytes', () => {
  it('truncates a larger response and prepends a notice, which counts towards the limit', async () => {
    const run = await runAgent({
      steps: [echoStep('é'.repeat(5000)), { report: 'x' }],
      tools: [ECHO],
      limits: { toolResponseMaxBytes: 1024 },
    });
    const [message] = toolMessages(run.result);
    const match = /^\[TRUNCATED\] Original size 10000 bytes; truncated to (\d+) bytes\.\n(é+)$/u.exec(
      message?.content ?? '',
    );
    expect(Buffer.byteLength(match?.[2] ?? '')).toBe(Number(match?.[1]));
    expect(Buffer.byteLength(message?.content ?? '')).toBeLessThanOrEqual(1024);
    expect(logs(run, 'WRN')[0]?.details).toEqual({
      tool: 'local__echo',
      actualBytes: 10_000,
      limitBytes: 1024,
    });
  });

  it('logs the untruncated response only with traceTools', async () => {
    const whole = 'y'.repeat(2000);
    const run = await runAgent({
      steps: [echoStep(whole), { report: 'x' }],
      tools: [ECHO],
      traceTools: true,
      limits: { toolResponseMaxBytes: 500 },
    });
    expect(logs(run, 'WRN')[0]?.details['response']).toBe(whole);
  });

  it('also applies to error messages of tools', async () => {
    const tool = {
      ...ECHO,
      run: () => {
        throw new Error('z'.repeat(50_000));
      },
    };
    const { result } = await runAgent({ steps: [echoStep('a'), { report: 'x' }], tools: [tool] });
    expect(Buffer.byteLength(toolMessages(result)[0]?.content ?? '')).toBeLessThanOrEqual(12_288);
  });

  it('can be set per tool', async () => {
    const { result } = await runAgent({
      steps: [echoStep('y'.repeat(900)), { report: 'x' }],
      tools: [{ ...ECHO, responseMaxBytes: 200 }],
    });
    expect(toolMessages(result)[0]?.content.length).toBeLessThanOrEqual(200);
  });
});

describe('a tool call that was cut off at the output limit', () => {
  const half = '{"text":"the first half of';
  const whole = { name: 'local__echo', arguments: { text: 'whole' } };

  it.for([
    ['a tool', { name: 'local__echo', arguments: half }],
    [
      'a batch',
      { name: 'agent__batch', arguments: `{"calls":[{"id":"1","tool":"local__echo","parameters":${half}` },
    ],
    [
      'a report after a call',
      { name: 'agent__final_report', arguments: '{"report_content":"The first half' },
    ],
  ] as const)('is not run with the half of its arguments: %s', async ([, call]) => {
    const run = await runAgent({
      steps: [{ toolCalls: [whole, call], stopReason: 'length' }, { report: 'All of it.' }],
      tools: [ECHO],
      batch: true,
      transport: 'native',
    });
    expect(run.host.calls.map(({ args }) => args)).toEqual([{ text: 'whole' }]);
    expect(toolMessages(run.result)[1]?.content).toContain('cut off at the output limit');
    expect(run.result.finalReport.content).toBe('All of it.');
    expect(logs(run, 'ERR').length).toBe(1);
  });

  it('runs if its arguments are complete', async () => {
    const { result, host } = await runAgent({
      steps: [{ toolCalls: [whole], stopReason: 'length' }, { report: 'x' }],
      tools: [ECHO],
    });
    expect([result.success, host.calls.length]).toEqual([true, 1]);
  });
});

describe('toolTimeout', () => {
  const hanging = { name: 'local__hanging', run: async () => new Promise<string>(() => {}) };

  it('cancels a tool that ignores its signal: (tool failed: timeout), failed in accounting', async () => {
    const { result } = await runAgent({
      steps: [
        { toolCalls: [{ name: 'local__hanging' }, { name: 'local__echo', arguments: { text: 'fine' } }] },
        { report: 'x' },
      ],
      tools: [hanging, ECHO],
      limits: { toolTimeoutMs: 20 },
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['(tool failed: timeout)', 'fine']);
    expect(toolEntries(result).find(({ command }) => command === 'local__hanging')).toMatchObject({
      status: 'failed',
      error: 'timeout',
    });
    expect(result.success).toBe(true);
  });

  it('aborts the signal of the call', async () => {
    let abortReason: unknown;
    const tool = {
      name: 'local__abortable',
      run: async (_args: object, { signal }: { signal: AbortSignal }) =>
        new Promise<string>((_, reject) =>
          signal.addEventListener('abort', () => {
            abortReason = (signal.reason as Error).message;
            reject(new Error('ended'));
          }),
        ),
    };
    await runAgent({
      steps: [{ toolCalls: [{ name: 'local__abortable' }] }, { report: 'x' }],
      tools: [tool],
      limits: { toolTimeoutMs: 20 },
    });
    expect(abortReason).toBe('timeout');
  });

  it('is reported as a timeout, regardless of the error the tool returns', async () => {
    const { result } = await runAgent({
      steps: [{ toolCalls: [{ name: 'quick__tool' }] }, { report: 'x' }],
      limits: { toolTimeoutMs: 20 },
      ports: {
        tools: [
          {
            name: 'quick',
            start: async () => {},
            listTools: () => [
              {
                name: 'quick__tool',
                description: '',
                inputSchema: { type: 'object' },
                origin: { kind: 'mcp', server: 'quick' },
              },
            ],
            call: (_name, _args, { signal }) =>
              new Promise((resolve) =>
                signal.addEventListener('abort', () => resolve({ ok: false, reason: 'request cancelled' })),
              ),
            close: async () => {},
          },
        ],
      },
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['(tool failed: timeout)']);
  });

  it('starts when a call starts, not when it is queued', async () => {
    const holder = {
      name: 'local__holder',
      timeoutMs: 0,
      run: async () => new Promise<string>((resolve) => setTimeout(() => resolve('held'), 60)),
    };
    const { result } = await runAgent({
      steps: [
        { toolCalls: [{ name: 'local__holder' }, ...(echoStep('at last').toolCalls ?? [])] },
        { report: 'x' },
      ],
      tools: [holder, ECHO],
      queues: { default: { concurrent: 1 } },
      // Shorter than the time the second call spends in the queue.
      limits: { toolTimeoutMs: 20 },
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['held', 'at last']);
  });
});

describe('queues.<name>.concurrent', () => {
  it('limits the concurrent calls of a queue and reports its depth', async () => {
    let running = 0;
    let maxRunning = 0;
    const tool = {
      ...ECHO,
      queue: 'narrow',
      run: async () => {
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        for (let tick = 0; tick < 5; tick += 1) await new Promise(setImmediate);
        running -= 1;
        return 'ok';
      },
    };
    const run = await runAgent({
      steps: [echoStep('1', '2', '3', '4', '5'), { report: 'x' }],
      tools: [tool],
      queues: { default: { concurrent: 8 }, narrow: { concurrent: 2 } },
    });
    expect(maxRunning).toBe(2);
    expect(eventsOf(run, 'tool.queued').map(({ queue, depth, running: now }) => [queue, depth, now])).toEqual(
      [
        ['narrow', 1, 1],
        ['narrow', 2, 2],
        ['narrow', 3, 2],
        ['narrow', 4, 2],
        ['narrow', 5, 2],
      ],
    );
    expect(toolMessages(run.result).length).toBe(5);
  });
});

describe('agent__batch', () => {
  const batch = (...calls: object[]) => ({
    toolCalls: [{ name: 'agent__batch', arguments: JSON.stringify({ calls }) }],
  });
  const results = (text: string | undefined) => (JSON.parse(text ?? '{}') as { results: unknown[] }).results;

  it('runs its calls in parallel and returns all results, including errors', async () => {
    const { result, host } = await runAgent({
      steps: [
        batch(
          { id: 'a', tool: 'local__echo', parameters: { text: 'one' } },
          { id: 'b', tool: 'local__none', parameters: {} },
          { id: 'c', tool: 'local__echo', parameters: { text: 'two' } },
        ),
        { report: 'x' },
      ],
      tools: [ECHO],
      batch: true,
    });
    expect(host.calls.length).toBe(2);
    expect(results(toolMessages(result)[0]?.content)).toEqual([
      { id: 'a', tool: 'local__echo', ok: true, elapsedMs: expect.any(Number), output: 'one' },
      {
        id: 'b',
        tool: 'local__none',
        ok: false,
        elapsedMs: 0,
        error: { code: 'unknown_tool', message: '(tool failed: unknown tool local__none)' },
      },
      { id: 'c', tool: 'local__echo', ok: true, elapsedMs: expect.any(Number), output: 'two' },
    ]);
    expect(toolEntries(result).map(({ command }) => command)).toEqual([
      'local__echo',
      'local__echo',
      'agent__batch',
      'agent__final_report_xml',
    ]);
  });

  it('truncates each response, but not the combined result', async () => {
    const big = 'y'.repeat(3000);
    const { result } = await runAgent({
      steps: [
        batch(...['a', 'b', 'c'].map((id) => ({ id, tool: 'local__echo', parameters: { text: big } }))),
        { report: 'x' },
      ],
      tools: [ECHO],
      batch: true,
      limits: { toolResponseMaxBytes: 1000 },
    });
    const content = toolMessages(result)[0]?.content ?? '';
    expect(content.length).toBeGreaterThan(3000);
    for (const item of results(content) as { output: string }[]) {
      expect(item.output).toContain('[TRUNCATED] Original size 3000 bytes');
      expect(item.output.length).toBeLessThanOrEqual(1000);
    }
  });

  it('cannot be used to exceed maxToolCallsPerTurn', async () => {
    const { result, host } = await runAgent({
      steps: [
        batch(...['a', 'b', 'c'].map((id) => ({ id, tool: 'local__echo', parameters: {} }))),
        { report: 'x' },
      ],
      tools: [ECHO],
      batch: true,
      limits: { maxToolCallsPerTurn: 2 },
    });
    expect(host.calls.length).toBe(2);
    expect(results(toolMessages(result)[0]?.content)[2]).toMatchObject({
      ok: false,
      error: { code: 'limit' },
    });
  });

  it('applies the context window to each response', async () => {
    const { result } = await runAgent({
      steps: [
        batch(
          ...['a', 'b'].map((id) => ({ id, tool: 'local__echo', parameters: { text: '"'.repeat(2000) } })),
        ),
        { report: 'x' },
      ],
      tools: [ECHO],
      batch: true,
      targets: [target('one', { contextWindow: 2300, contextWindowBufferTokens: 100, maxOutputTokens: 100 })],
    });
    // 2,000 quotes are 4,000 characters when escaped.
    expect(results(toolMessages(result)[0]?.content)).toMatchObject([
      { id: 'a', ok: true },
      {
        id: 'b',
        ok: false,
        error: { code: 'budget', message: '(tool failed: context window budget exceeded)' },
      },
    ]);
    expect(result.success).toBe(true);
  });

  it.each([
    ['no calls', { calls: [] }],
    ['a batch in a batch', { calls: [{ id: 'a', tool: 'agent__batch', parameters: {} }] }],
    ['a report in a batch', { calls: [{ id: 'a', tool: 'agent__final_report', parameters: {} }] }],
    ['invalid parameters', { calls: [{ id: 'a', tool: 'local__echo', parameters: 5 }] }],
  ])('is rejected with %s', async (_name, args) => {
    const { result, host } = await runAgent({
      steps: [{ toolCalls: [{ name: 'agent__batch', arguments: args }] }, { report: 'x' }],
      tools: [ECHO],
      batch: true,
    });
    expect(host.calls.length).toBe(0);
    expect(toolMessages(result)[0]?.content).toMatch(/^\(tool failed: /u);
  });
});

describe('agent__progress_report', () => {
  it('emits a progress event, counts as a call, and is offered only when enabled', async () => {
    const run = await runAgent({
      steps: [
        {
          toolCalls: [
            { name: 'agent__progress_report', arguments: { progress: 'half way' } },
            { name: 'local__echo' },
          ],
        },
        { report: 'x' },
      ],
      tools: [ECHO],
      progressReports: true,
      limits: { maxToolCallsPerTurn: 1 },
    });
    expect(eventsOf(run, 'progress.reported').map(({ message }) => message)).toEqual(['half way']);
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual([
      'ok',
      expect.stringContaining('per-turn limit'),
    ]);
    expect(run.requests[0]?.tools.map(({ name }) => name)).toEqual(['local__echo', 'agent__progress_report']);
    // The final turn offers only the report.
    const last = await runAgent({
      steps: [{ report: 'x' }],
      tools: [ECHO],
      progressReports: true,
      limits: { maxTurns: 1 },
    });
    expect(last.requests[0]?.tools).toEqual([]);
  });
});
