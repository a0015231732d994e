import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  eventsOf,
  llmEntries,
  logs,
  runAgent,
  target,
  toolEntries,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';

const STUB = '(tool failed: context window budget exceeded)';
const small = (contextWindow: number) => [
  target('one', { contextWindow, contextWindowBufferTokens: 100, maxOutputTokens: 100 }),
];
const usage = (inputTokens: number, outputTokens = 10, cacheReadTokens = 0) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
});

describe('request metrics', () => {
  it('start with ctx 0, and expectedTokens is always ctx + pending + schema', async () => {
    const run = await runAgent({
      steps: [
        { ...echoStep('hello'), usage: usage(500, 20, 300) },
        { text: 'plain', usage: usage(600, 30) },
        { report: 'done' },
      ],
      tools: [ECHO],
    });
    const requested = eventsOf(run, 'llm.requested');
    expect(requested.map(({ ctxTokens }) => ctxTokens)).toEqual([0, 820, 630]);
    for (const { ctxTokens, newTokens, schemaTokens, expectedTokens } of requested) {
      expect(expectedTokens).toBe(ctxTokens + newTokens + schemaTokens);
      expect(schemaTokens).toBeGreaterThan(0);
      expect(newTokens).toBeGreaterThan(0);
    }
  });

  it('count a retry notice as pending before the request is logged', async () => {
    const run = await runAgent({
      steps: [{ text: '' }, { failure: { class: 'network' } }, { report: 'done' }],
      usage: usage(100),
    });
    const [first, second, third] = eventsOf(run, 'llm.requested');
    // After the first response the initial messages are in ctx; only the notice is new, and a failed request does not count it twice.
    expect(second?.newTokens).toBeGreaterThan(20);
    expect(second?.newTokens).toBeLessThan(60);
    expect(third?.newTokens).toBe(second?.newTokens);
    expect(first?.ctxTokens).toBe(0);
  });

  it('estimate ctx when a provider reports no usage', async () => {
    const run = await runAgent({
      steps: [{ ...echoStep('hello'), usage: usage(0, 0) }, { report: 'done' }],
      tools: [ECHO],
    });
    const [first, second] = eventsOf(run, 'llm.requested');
    expect(second?.ctxTokens).toBeGreaterThan(first?.expectedTokens ?? 0);
  });
});

describe('a tool response that does not fit', () => {
  const overflow = async (parallel: readonly string[], contextWindow = 1700) =>
    runAgent({
      steps: [{ ...echoStep(...parallel), usage: usage(400) }, { report: 'from what I have' }],
      tools: [ECHO],
      targets: small(contextWindow),
    });

  it('is replaced by the stub; accounting has the original and the replacement tokens', async () => {
    const { result } = await overflow(['x'.repeat(8000)]);
    expect(toolMessages(result).map(({ content }) => content)).toEqual([STUB]);
    expect(toolEntries(result)[0]).toMatchObject({
      command: 'local__echo',
      status: 'failed',
      error: 'context window budget exceeded',
      droppedTokens: 2004,
      replacementTokens: 16,
    });
    expect(result).toMatchObject({ success: true, finalReport: { content: 'from what I have' } });
  });

  it('is logged with projected, limit and remaining tokens, and the blocked target', async () => {
    const run = await overflow(['x'.repeat(8000)]);
    const [dropped, forced] = logs(run, 'WRN');
    expect(dropped?.details).toMatchObject({
      guard: 'tool_preflight',
      tool: 'local__echo',
      limit_tokens: 1500,
    });
    expect(dropped?.details['projected_tokens']).toBeGreaterThan(1500);
    expect(dropped?.details['remaining_tokens']).toBeGreaterThan(0);
    expect(forced?.details).toMatchObject({
      forcedFinalTurnReason: 'context',
      blocked: [{ provider: 'script', model: 'one' }],
    });
  });

  it('forces the final turn: only the report, schema tokens recomputed', async () => {
    const run = await overflow(['x'.repeat(8000)]);
    const [first, second] = eventsOf(run, 'llm.requested');
    expect(second?.forcedFinalReason).toBe('context');
    expect(second?.schemaTokens).not.toBe(first?.schemaTokens);
    expect(run.requests[1]?.tools.map(({ name }) => name)).toEqual(['agent__final_report']);
    expect(run.requests[1]?.messages.at(-2)).toMatchObject({
      role: 'system',
      content: expect.stringContaining('this is the last turn'),
    });
    expect(run.requests.length).toBe(2);
  });

  it('lets parallel calls finish and keeps their responses if they fit', async () => {
    const { result } = await overflow(['x'.repeat(8000), 'small enough']);
    expect(toolMessages(result).map(({ content }) => content)).toEqual([STUB, 'small enough']);
  });

  it('prevents queued calls from starting', async () => {
    const { result, host } = await runAgent({
      steps: [{ ...echoStep('x'.repeat(8000), 'never run'), usage: usage(400) }, { report: 'done' }],
      tools: [ECHO],
      targets: small(1700),
      queues: { default: { concurrent: 1 } },
    });
    expect(host.calls.length).toBe(1);
    expect(toolMessages(result).map(({ content }) => content)).toEqual([STUB, STUB]);
    expect(toolEntries(result).filter(({ command }) => command === 'local__echo').length).toBe(1);
  });

  it('prevents all later tool calls', async () => {
    const { result, host } = await runAgent({
      steps: [
        { ...echoStep('x'.repeat(8000)), usage: usage(400) },
        { ...echoStep('again'), usage: usage(500) },
        { report: 'given in' },
      ],
      tools: [ECHO],
      targets: small(1700),
    });
    expect(host.calls.length).toBe(1);
    expect(result).toMatchObject({ success: true, finalReport: { content: 'given in' } });
  });
});

describe('the guard before a request', () => {
  it('forces the final turn when the conversation itself is too large', async () => {
    const run = await runAgent({
      steps: [{ reasoning: 'hm', usage: usage(1480) }, { report: 'short' }],
      tools: [ECHO],
      targets: small(1750),
    });
    const [, second] = eventsOf(run, 'llm.requested');
    expect(second).toMatchObject({ forcedFinalReason: 'context', ctxTokens: 1490 });
    expect(run.result.success).toBe(true);
  });

  it('sends a final request over the limit only after a warning', async () => {
    const run = await runAgent({
      steps: [{ report: 'short' }],
      userPrompt: 'x'.repeat(40_000),
      targets: small(2000),
    });
    const [requested] = eventsOf(run, 'llm.requested');
    expect(requested?.expectedTokens).toBeGreaterThan(requested?.limitTokens ?? 0);
    expect(logs(run, 'WRN').map(({ details }) => details['guard'])).toEqual([
      'turn_preflight',
      'post_shrink',
    ]);
    const order = run.events.map((event) => event.type);
    expect(order.lastIndexOf('log')).toBeLessThan(order.indexOf('llm.requested'));
  });

  it('generates a synthetic report with reason context when the final turn fails', async () => {
    const { result } = await runAgent({
      steps: [{ failure: { class: 'model_error', status: 400, message: 'too long' } }],
      userPrompt: 'x'.repeat(40_000),
      targets: small(2000),
      limits: { maxRetries: 1 },
    });
    expect(result.finalReport).toMatchObject({ status: 'failure', metadata: { reason: 'context' } });
    expect(llmEntries(result).length).toBe(1);
  });

  it('also applies to a fallback target', async () => {
    const run = await runAgent({
      steps: [{ failure: { class: 'network' } }, { report: 'from the small one' }],
      tools: [ECHO],
      userPrompt: 'x'.repeat(6000),
      targets: [target('large'), ...small(1000)],
    });
    expect(eventsOf(run, 'llm.requested').map(({ forcedFinalReason }) => forcedFinalReason)).toEqual([
      undefined,
      'context',
    ]);
  });
});
