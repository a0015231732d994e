import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  eventsOf,
  llmEntries,
  runAgent,
  target,
  toolEntries,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';
import type { ScenarioStep } from '../providers/script-scenario.ts';

const call = echoStep('hello');
const limited = (retryAfterMs?: number): ScenarioStep => ({
  failure: { class: 'rate_limit', status: 429, ...(retryAfterMs !== undefined && { retryAfterMs }) },
});
const network: ScenarioStep = { failure: { class: 'network', message: 'socket hang up' } };

describe('maxTurns', () => {
  it('is never exceeded; without a final report the result is a synthetic failure report', async () => {
    const { result, requests } = await runAgent({
      steps: [call, call, call, call, call, call],
      tools: [ECHO],
      limits: { maxTurns: 3, maxRetries: 1 },
    });
    expect(requests.length).toBe(3);
    expect(result.conversation.filter(({ role }) => role === 'assistant').length).toBeLessThanOrEqual(3);
    expect(result).toMatchObject({
      success: false,
      error: 'Max turns reached (3) without a final report.',
      turns: 3,
      finalReport: {
        status: 'failure',
        format: 'markdown',
        metadata: {
          reason: 'max_turns_exhausted',
          turns_completed: 3,
          final_report_attempts: 0,
          last_stop_reason: 'tool-calls',
        },
      },
    });
    expect(result.finalReport.content).toContain('Max turns reached');
    // The report contains the results so far.
    expect(result.finalReport.content).toContain('local__echo: hello');
  });

  it('does not count retries within a turn', async () => {
    const { result } = await runAgent({
      steps: [network, network, call, network, { report: 'done' }],
      tools: [ECHO],
      limits: { maxTurns: 2, maxRetries: 3 },
    });
    expect(result).toMatchObject({ success: true, turns: 2, finalReport: { content: 'done' } });
  });

  it('offers only the report on the last turn', async () => {
    const { requests } = await runAgent({
      steps: [call, { report: 'done' }],
      tools: [ECHO],
      transport: 'native',
      limits: { maxTurns: 2 },
    });
    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['local__echo', 'agent__final_report'],
      ['agent__final_report'],
    ]);
  });
});

describe('maxRetries', () => {
  it('counts every attempt of a turn: 1 means no retry, 3 means two', async () => {
    for (const maxRetries of [1, 3]) {
      const { requests } = await runAgent({
        steps: [network, network, network, network],
        limits: { maxTurns: 1, maxRetries },
      });
      expect(requests.length).toBe(maxRetries);
    }
  });

  it('exhausted fails the turn, and the session continues with the next one', async () => {
    const { result, events } = await runAgent({
      steps: [network, network, { report: 'late but there' }],
      limits: { maxTurns: 2, maxRetries: 2 },
    });
    expect(result).toMatchObject({ success: true, turns: 2, finalReport: { content: 'late but there' } });
    expect(eventsOf({ events }, 'turn.started').length).toBe(2);
  });

  it('reports a failure at the end only if it is the last one', async () => {
    const { result } = await runAgent({
      steps: [network, call, { text: '' }, { text: '' }],
      tools: [ECHO],
      limits: { maxTurns: 2, maxRetries: 2 },
    });
    expect(result.error).not.toContain('socket hang up');
  });

  it('exhausted on the last turn returns a synthetic report with the failure', async () => {
    const { result } = await runAgent({ steps: [network, network], limits: { maxTurns: 1, maxRetries: 2 } });
    expect(result.success).toBe(false);
    expect(result.error).toContain('socket hang up');
    expect(result.finalReport.status).toBe('failure');
  });
});

describe('targets', () => {
  const targets = [target('one'), target('two'), target('three')];

  it('are tried round-robin: attempt N uses targets[(N-1) % n], and every turn starts with the first', async () => {
    const { result, requests } = await runAgent({
      steps: [network, network, network, network, call, network, { report: 'done' }],
      tools: [ECHO],
      targets,
      limits: { maxRetries: 5 },
    });
    expect(requests.map(({ model }) => model)).toEqual(['one', 'two', 'three', 'one', 'two', 'one', 'two']);
    // The fallback is visible in accounting.
    expect(llmEntries(result).map(({ model, status }) => `${model} ${status}`)).toEqual([
      'one failed',
      'two failed',
      'three failed',
      'one failed',
      'two ok',
      'one failed',
      'two ok',
    ]);
  });

  it.each(['network', 'timeout', 'model_error'] as const)(
    'switch immediately, without a wait, after %s',
    async (kind) => {
      const { sleeps, requests } = await runAgent({
        steps: [
          { failure: { class: kind } },
          { failure: { class: kind } },
          { failure: { class: kind } },
          { report: 'x' },
        ],
        targets,
        limits: { maxRetries: 4 },
      });
      expect(sleeps).toEqual([]);
      expect(requests.length).toBe(4);
    },
  );

  it('receive their own parameters with every request, and the output limit that the guard reserves', async () => {
    const { requests } = await runAgent({
      steps: [network, { report: 'x' }],
      targets: [
        target('one', { parameters: { temperature: 0.5, topP: 0.9, reasoningEffort: 'low' } }),
        target('two', { maxOutputTokens: 777, parameters: { temperature: 0.1, repeatPenalty: 1.2 } }),
      ],
    });
    expect(requests.map(({ parameters }) => parameters)).toEqual([
      { temperature: 0.5, topP: 0.9, reasoningEffort: 'low', maxOutputTokens: 4096 },
      { temperature: 0.1, repeatPenalty: 1.2, maxOutputTokens: 777 },
    ]);
  });
});

describe('fatal errors', () => {
  it.each(['auth', 'quota'] as const)(
    '%s ends the session immediately: one failed entry, no retry',
    async (kind) => {
      const { result, requests, sleeps } = await runAgent({
        steps: [
          { failure: { class: kind, status: 401, message: `${kind}: the key was rejected` } },
          { report: 'x' },
        ],
        targets: [target('one'), target('two')],
      });
      expect(requests.length).toBe(1);
      expect(sleeps).toEqual([]);
      expect(result).toMatchObject({
        success: false,
        error: `script/one: HTTP 401: ${kind}: the key was rejected`,
        errorKind: kind,
        finalReport: { status: 'failure', metadata: { reason: kind } },
        accounting: [{ type: 'llm', status: 'failed', error: `${kind}: the key was rejected` }],
      });
    },
  );
});

describe('a rejected key', () => {
  it('does not appear in the result or in events', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
    const { result, events } = await runAgent({
      steps: [{ failure: { class: 'auth', message: `Incorrect API key provided: ${key}.` } }],
    });
    expect(result.error).toContain('Incorrect API key provided');
    expect(JSON.stringify([result, events])).not.toContain(key);
  });
});

describe('rate limits', () => {
  it('honour the longest Retry-After of the cycle, clamped to 1 to 60 seconds', async () => {
    const two = [target('one'), target('two')];
    const wait = async (first?: number, second?: number): Promise<readonly number[]> =>
      (await runAgent({ steps: [limited(first), limited(second), { report: 'x' }], targets: two })).sleeps;
    expect(await wait(3000, 7000)).toEqual([7000]);
    expect(await wait(20)).toEqual([1000]);
    expect(await wait(3_600_000, 1000)).toEqual([60_000]);
  });

  it('without Retry-After back off exponentially from 1 to 60 seconds', async () => {
    const { sleeps } = await runAgent({
      steps: [...Array.from({ length: 9 }, () => limited()), { report: 'x' }],
      limits: { maxRetries: 10 },
    });
    expect(sleeps).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('wait only when every target of the cycle was rate-limited', async () => {
    const { sleeps, requests } = await runAgent({
      steps: [limited(5000), network, limited(9000), { report: 'x' }],
      targets: [target('one'), target('two')],
      limits: { maxRetries: 4 },
    });
    expect(sleeps).toEqual([]);
    expect(requests.map(({ model }) => model)).toEqual(['one', 'two', 'one', 'two']);
  });

  it('back off across turns until a provider responds', async () => {
    const { sleeps } = await runAgent({
      steps: [limited(), limited(), limited(), call, limited(), { report: 'x' }],
      tools: [ECHO],
      limits: { maxRetries: 1 },
    });
    expect(sleeps).toEqual([1000, 2000, 4000, 1000]);
  });

  it('wait when a turn has fewer attempts than targets', async () => {
    const { sleeps } = await runAgent({
      steps: [limited(), limited(2500), { report: 'x' }],
      targets: [target('one'), target('two'), target('three')],
      limits: { maxRetries: 2 },
    });
    expect(sleeps).toEqual([2500]);
  });

  it('do not wait when no attempt remains', async () => {
    const { sleeps, result } = await runAgent({
      steps: [limited(5000), limited(5000)],
      limits: { maxTurns: 1, maxRetries: 2 },
    });
    expect(sleeps).toEqual([5000]);
    expect(result.success).toBe(false);
  });

  it('end their wait when the session is aborted', async () => {
    const abort = new AbortController();
    const { result, requests } = await runAgent({
      steps: [limited(5000), { report: 'x' }],
      ports: {
        signal: abort.signal,
        sleep: async (_ms, signal) => {
          abort.abort();
          expect(signal.aborted).toBe(true);
        },
      },
    });
    expect(requests.length).toBe(1);
    expect(result).toMatchObject({ success: false, errorKind: 'aborted' });
  });
});

describe('maxToolCallsPerTurn', () => {
  it('drops excess calls without running them, and reports each one to the model', async () => {
    const many = Array.from({ length: 4 }, (_, index) => ({
      name: 'local__echo',
      arguments: { text: `${index}` },
    }));
    const { result, host } = await runAgent({
      steps: [{ toolCalls: many }, { report: 'done' }],
      tools: [ECHO],
      limits: { maxToolCallsPerTurn: 2 },
    });
    expect(host.calls.map(({ args }) => args)).toEqual([{ text: '0' }, { text: '1' }]);
    expect(toolMessages(result).map(({ content }) => content)).toEqual([
      '0',
      '1',
      '(tool failed: the per-turn limit of 2 tool calls is exceeded; this call was not run)',
      '(tool failed: the per-turn limit of 2 tool calls is exceeded; this call was not run)',
    ]);
    expect(toolEntries(result).filter(({ command }) => command === 'local__echo').length).toBe(2);
  });

  it('never drops a final report', async () => {
    const { result } = await runAgent({
      steps: [{ toolCalls: [{ name: 'local__echo' }, { name: 'local__echo' }], report: 'kept' }],
      tools: [ECHO],
      transport: 'native',
      limits: { maxToolCallsPerTurn: 1 },
    });
    expect(result).toMatchObject({ success: true, finalReport: { content: 'kept' } });
  });
});

describe('the idle timeout of a model', () => {
  it('cancels a request without data and tries the next target', async () => {
    const { result, requests } = await runAgent({
      steps: [{ hang: true }, { report: 'the second answers' }],
      targets: [target('one'), target('two')],
      limits: { llmTimeoutMs: 20 },
    });
    expect(requests.map(({ model }) => model)).toEqual(['one', 'two']);
    expect(llmEntries(result)[0]).toMatchObject({
      status: 'failed',
      error: 'The model sent no data for 20 ms.',
    });
    expect(result.success).toBe(true);
  });

  it('is reported as a timeout, regardless of the error the port returns', async () => {
    const { result } = await runAgent({
      llm: {
        attempt: ({ signal }) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () =>
              resolve({ ok: false, class: 'aborted', message: 'cancelled' }),
            ),
          ),
      },
      limits: { llmTimeoutMs: 20, maxRetries: 1, maxTurns: 1 },
    });
    expect(llmEntries(result)[0]?.error).toBe('The model sent no data for 20 ms.');
  });

  it('cancels a request whose port ignores its signal', async () => {
    let attempts = 0;
    const { result } = await runAgent({
      llm: {
        attempt: async () => {
          attempts += 1;
          return new Promise(() => {});
        },
      },
      limits: { llmTimeoutMs: 20, maxRetries: 2, maxTurns: 1 },
    });
    expect(attempts).toBe(2);
    expect(result.success).toBe(false);
  });

  it('survives a port that breaks its contract and throws', async () => {
    const { result } = await runAgent({
      llm: {
        attempt: async () => {
          throw new TypeError('not supposed to happen');
        },
      },
      limits: { maxRetries: 2, maxTurns: 1 },
    });
    expect(result.error).toContain('not supposed to happen');
    expect(llmEntries(result).map(({ status }) => status)).toEqual(['failed', 'failed']);
  });
});
