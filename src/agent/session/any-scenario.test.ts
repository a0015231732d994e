import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ECHO,
  eventsOf,
  llmEntries,
  NONCE,
  runAgent,
  target,
  type LocalTool,
} from '../../../test/fixtures/agent-session.ts';
import type { Message } from '../conversation.ts';
import type { ScenarioStep } from '../providers/script-scenario.ts';
import { OUTPUT_FORMATS, TRANSPORTS } from '../session-config.ts';

const RUNS = process.env['DEED_TEST_LONG'] === '1' ? 3000 : 80;

const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '',
    '\uD800',
    deep,
    '{"n": 1}',
    '[{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"x"}}]}]',
    '<ai-agent-NONCE-FINAL tool="agent__final_report" format="tty">report</ai-agent-NONCE-FINAL>',
    '<ai-agent-NONCE-FINAL tool="agent__final_report">{"n": 1',
    '<ai-agent-NONCE-0001 tool="local__echo">{"text":"x"}</ai-agent-NONCE-0001>',
    '<ai-agent-NONCE-0002 tool="local__fail">{}</ai-agent-NONCE-0002><ai-agent-NONCE-PROGRESS>ok</ai-agent-NONCE-PROGRESS>',
  ),
);
const args = fc.oneof(
  fc.constantFrom('{"text":"hello"}', '{}', '', '[]', 'null', '{"text":', "{'text': 'x'}", deep),
  fc.string({ maxLength: 20 }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const name = fc.constantFrom(
  'local__echo',
  'local__fail',
  'local__flood',
  'local__none',
  'agent__batch',
  'agent__progress_report',
  'agent__final_report',
);
const batch = fc
  .array(fc.record({ id: fc.string(), tool: name, parameters: fc.constantFrom({}, { text: 'x' }) }), {
    maxLength: 4,
  })
  .map((calls) => ({ name: 'agent__batch', arguments: { calls } }));
const step: fc.Arbitrary<ScenarioStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        text,
        reasoning: fc.constantFrom('', 'hm'),
        toolCalls: fc.array(fc.oneof(fc.record({ name, arguments: args }), batch), { maxLength: 5 }),
        stopReason: fc.constantFrom('stop', 'length', 'content-filter', 'tool-calls'),
        usage: fc.record({
          inputTokens: fc.nat(3000),
          outputTokens: fc.nat(500),
          cacheReadTokens: fc.nat(500),
        }),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ report: text }) },
  {
    weight: 4,
    arbitrary: fc.record({
      failure: fc.record({
        class: fc.constantFrom('rate_limit', 'model_error', 'timeout', 'network', 'aborted'),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ failure: { class: 'auth' } } as const) },
);
const tools: readonly LocalTool[] = [
  ECHO,
  {
    name: 'local__fail',
    run: () => {
      throw new Error('no');
    },
  },
  { name: 'local__flood', run: () => 'flood '.repeat(20_000) },
];

describe('any scenario', () => {
  it(
    'returns one result with a report, within its limits, with a response for every call',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 12 }),
          fc.record({
            transport: fc.constantFrom(...TRANSPORTS),
            format: fc.constantFrom(...OUTPUT_FORMATS),
            maxTurns: fc.integer({ min: 1, max: 5 }),
            maxRetries: fc.integer({ min: 1, max: 3 }),
            maxToolCallsPerTurn: fc.integer({ min: 1, max: 4 }),
            contextWindow: fc.constantFrom(2500, 8000, 131_072),
            targets: fc.integer({ min: 1, max: 3 }),
            stream: fc.boolean(),
          }),
          async (steps, { transport, format, contextWindow, targets, stream, ...limits }) => {
            const run = await runAgent({
              steps,
              tools,
              transport,
              stream,
              output: { format },
              batch: true,
              progressReports: true,
              limits,
              targets: Array.from({ length: targets }, (_, index) =>
                target(`m${index}`, { contextWindow, contextWindowBufferTokens: 100, maxOutputTokens: 100 }),
              ),
            });
            const { result, requests, host } = run;
            expect(result.finalReport).toMatchObject({
              status: result.success ? 'success' : 'failure',
              format,
            });
            expect(result.error === undefined).toBe(result.success);
            expect(result.error ?? '').not.toContain('Internal error');
            expect(requests.length).toBeLessThanOrEqual(limits.maxTurns * limits.maxRetries);
            expect(llmEntries(result).length).toBe(requests.length);
            expect(eventsOf(run, 'turn.started').length).toBeLessThanOrEqual(limits.maxTurns);
            const assistants = result.conversation.filter(({ role }) => role === 'assistant');
            expect(assistants.length).toBeLessThanOrEqual(limits.maxTurns);
            expect(host.calls.length).toBeLessThanOrEqual(limits.maxTurns * limits.maxToolCallsPerTurn);
            expect(host.closed).toBe(1);
            for (const { messages } of requests) expect(unmatched(messages)).toEqual([]);
            // A report may quote other slots, but its own tag is never shown; outside reports no tag is shown.
            const hidden = {
              text: `<ai-agent-${NONCE}-`,
              report: `ai-agent-${NONCE}-FINAL`,
              reasoning: '\0',
            };
            for (const event of eventsOf(run, 'output.delta')) {
              if (transport !== 'native') expect(event.text).not.toContain(hidden[event.channel]);
            }
            JSON.stringify(result);
          },
        ),
        { numRuns: RUNS },
      );
    },
  );
});

/** Returns calls without a response and responses without a call: providers reject both. */
function unmatched(messages: readonly Message[]): string[] {
  const called: string[] = [];
  const responded: string[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') called.push(...(message.toolCalls ?? []).map(({ id }) => id));
    if (message.role === 'tool') responded.push(message.toolCallId);
  }
  return [
    ...called.filter((id) => !responded.includes(id)),
    ...responded.filter((id) => !called.includes(id)),
  ];
}
