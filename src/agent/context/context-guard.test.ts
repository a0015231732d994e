import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ECHO,
  eventsOf,
  logs,
  runAgent,
  target,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';
import type { LlmPort, LlmRequest } from '../llm-port.ts';
import { createScriptProvider } from '../providers/script-provider.ts';
import { ContextGuard, contextLimit } from './context-guard.ts';
import { loadTokenEstimate } from './token-estimate.ts';

const RUNS = process.env['DEED_TEST_LONG'] === '1' ? 500 : 30;

const STUB_TOKENS = 16;

/** Creates a model that reports the estimated size of each request as its usage. */
function countingModel(steps: Parameters<typeof createScriptProvider>[0]['steps']): LlmPort {
  const script = createScriptProvider({ steps });
  return {
    attempt: async (request) => {
      const outcome = await script.attempt(request);
      if (!outcome.ok) return outcome;
      const inputTokens = await sizeOf(request);
      const outputTokens = Math.ceil((outcome.text.length + JSON.stringify(outcome.toolCalls).length) / 4);
      return { ...outcome, usage: { inputTokens, outputTokens, cacheReadTokens: 0 } };
    },
  };
}

async function sizeOf({ messages, tools }: LlmRequest): Promise<number> {
  const estimate = await loadTokenEstimate([]);
  return estimate.messages(messages) + estimate.tools(tools);
}

const outputSize = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 1000, max: 9000 }),
  fc.integer({ min: 0, max: 40_000 }),
);
const turn = fc.oneof(
  { weight: 5, arbitrary: fc.array(outputSize, { minLength: 1, maxLength: 6 }).map((sizes) => ({ sizes })) },
  { weight: 1, arbitrary: fc.constant({ sizes: [] }) },
);

describe('the context guard', () => {
  it(
    'sends no request over the limit except a final one after a warning, for any tool output',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(turn, { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 900, max: 12_000 }),
          fc.constantFrom('native', 'xml', 'xml-final'),
          async (turns, contextWindow, transport) => {
            const slots = { next: 1 };
            const steps = turns.map(({ sizes }) => stepFor(sizes, transport, slots));
            const targets = [
              target('one', { contextWindow, contextWindowBufferTokens: 50, maxOutputTokens: 50 }),
            ];
            const sizes: number[] = [];
            const model = countingModel([
              ...steps,
              { report: 'done' },
              { report: 'done' },
              { report: 'done' },
            ]);
            const run = await runAgent({
              llm: {
                attempt: async (request) => {
                  sizes.push(await sizeOf(request));
                  return model.attempt(request);
                },
              },
              tools: [{ ...ECHO, run: ({ size }) => 'x'.repeat(Number(size)) }],
              targets,
              transport,
              limits: { maxTurns: 8, toolResponseMaxBytes: 100_000 },
            });
            const limit = contextWindow - 100;
            const requested = eventsOf(run, 'llm.requested');
            const warned = logs(run, 'WRN').some(({ details }) => details['guard'] === 'post_shrink');
            for (const [index, { expectedTokens, forcedFinalReason }] of requested.entries()) {
              const over = expectedTokens > limit || (sizes[index] ?? 0) > limit;
              if (over)
                expect({ warned, forcedFinalReason }).toEqual({ warned: true, forcedFinalReason: 'context' });
              // The expected tokens are never below the actual size.
              expect(sizes[index]).toBeLessThanOrEqual(expectedTokens);
            }
          },
        ),
        { numRuns: RUNS },
      );
    },
  );

  it('keeps parallel tools within the limit, in any order of completion', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ size: fc.integer({ min: 0, max: 6000 }), delay: fc.nat(5) }), {
          minLength: 2,
          maxLength: 8,
        }),
        fc.integer({ min: 1000, max: 5000 }),
        async (calls, contextWindow) => {
          const targets = [
            target('one', { contextWindow, contextWindowBufferTokens: 50, maxOutputTokens: 50 }),
          ];
          const run = await runAgent({
            llm: countingModel([
              { toolCalls: calls.map((args) => ({ name: 'local__echo', arguments: args })) },
              { report: 'done' },
            ]),
            tools: [
              {
                ...ECHO,
                run: async ({ size, delay }) => {
                  for (let ticks = Number(delay); ticks > 0; ticks -= 1) await new Promise(setImmediate);
                  return 'x'.repeat(Number(size));
                },
              },
            ],
            targets,
          });
          const [first, second] = eventsOf(run, 'llm.requested');
          const estimate = await loadTokenEstimate([]);
          const returned = toolMessages(run.result).map((message) => estimate.message(message));
          const before = (second?.ctxTokens ?? 0) + (first?.schemaTokens ?? 0);
          const stubs = calls.length * STUB_TOKENS;
          const after = before + returned.reduce((sum, tokens) => sum + tokens, 0);
          expect(after).toBeLessThanOrEqual(Math.max(contextWindow - 100, before + stubs));
          expect(returned.length).toBe(calls.length);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('reserves tokens for the stub of every accepted call', () => {
    const one = target('one', { contextWindow: 1000, contextWindowBufferTokens: 0, maxOutputTokens: 0 });
    fc.assert(
      fc.property(
        fc.array(fc.record({ tokens: fc.nat(1200), commit: fc.boolean() }), { maxLength: 20 }),
        fc.nat(600),
        (responses, pending) => {
          const guard = new ContextGuard([one]);
          guard.append(pending);
          const held = responses.map(() => guard.reserve(15));
          const before = guard.checkRequest(one);
          for (const [index, { tokens, commit }] of responses.entries()) {
            if (commit) held[index]?.commit(tokens);
          }
          const after = guard.checkRequest(one);
          expect(after.fits || !before.fits).toBe(true);
        },
      ),
    );
  });

  it('drops ephemeral tokens after a response', () => {
    const one = target();
    const guard = new ContextGuard([one]);
    guard.append(100);
    guard.expose({ schemaTokens: 50, ephemeralTokens: 30 });
    expect(guard.checkRequest(one).projectedTokens).toBe(180);
    guard.settle({ inputTokens: 150, outputTokens: 20, cacheReadTokens: 10 });
    expect([guard.currentTokens, guard.pendingTokens, guard.schemaTokens]).toEqual([180, 0, 50]);
  });

  it('checks a tool response against the smallest context window of all targets', () => {
    const large = target('large');
    const small = target('small', {
      contextWindow: 1000,
      contextWindowBufferTokens: 100,
      maxOutputTokens: 100,
    });
    const guard = new ContextGuard([large, small]);
    expect(guard.reserve(10).commit(801)).toMatchObject({ fits: false, model: 'small', limitTokens: 800 });
    expect(contextLimit(large)).toBe(131_072 - 8192 - 4096);
  });
});

function stepFor(sizes: readonly number[], transport: string, slots: { next: number }) {
  if (sizes.length === 0) return { text: 'I think about it.' };
  if (transport !== 'xml') {
    return { toolCalls: sizes.map((size) => ({ name: 'local__echo', arguments: { size } })) };
  }
  const tags = sizes.map((size) => {
    const slot = String(slots.next).padStart(4, '0');
    slots.next += 1;
    return `<ai-agent-NONCE-${slot} tool="local__echo">{"size":${size}}</ai-agent-NONCE-${slot}>`;
  });
  return { text: tags.join('\n') };
}

describe('the token estimate', () => {
  it(
    'is the maximum of the tokenizer and the byte estimate, plus 4 per message and 2 per call',
    { timeout: 30_000 },
    async () => {
      const bytes = await loadTokenEstimate([target()]);
      const exact = await loadTokenEstimate([target('gpt', { tokenizer: 'o200k_base' })]);
      expect(bytes.text('x'.repeat(400))).toBe(100);
      expect(exact.text('1 2 3 4 5 6 7 8 9')).toBeGreaterThan(bytes.text('1 2 3 4 5 6 7 8 9'));
      expect(bytes.message({ role: 'user', content: 'x'.repeat(40) })).toBe(14);
      expect(
        bytes.message({
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'a', name: 'abcd', arguments: '{}{}' }],
        }),
      ).toBe(4 + 2 + 2);
    },
  );

  it('counts special tokens, long runs and lone surrogates as text', { timeout: 30_000 }, async () => {
    const exact = await loadTokenEstimate([target('gpt', { tokenizer: 'cl100k_base' })]);
    expect(exact.text('<|endoftext|>')).toBeGreaterThan(1);
    expect(exact.text('a'.repeat(500_000))).toBeGreaterThan(10_000);
    expect(exact.text('\uD800 alone')).toBeGreaterThan(0);
  });
});
