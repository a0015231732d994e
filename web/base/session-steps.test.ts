import { describe, expect, it } from 'vitest';
import { depthOf, explainStep, groupByTurn, type SessionStep } from './session-steps.ts';

function step(more: Partial<SessionStep>): SessionStep {
  return {
    at: '2026-01-01T00:00:00.000Z',
    turn: 1,
    kind: 'request',
    name: 'p/m',
    agents: null,
    status: 'ok',
    latency_ms: 100,
    tokens: { input: 10, output: 2, cached: 0 },
    cost_usd: 0.01,
    context_tokens: null,
    context_limit: null,
    dropped_tokens: null,
    reason: null,
    ...more,
  };
}

describe('the steps of a session', () => {
  it('are summed per turn, without counting the time of sub-agents twice', () => {
    const turns = groupByTurn([
      step({}),
      step({ agents: 'main->helper', latency_ms: 40 }),
      step({
        kind: 'tool',
        name: 'helper',
        tokens: null,
        cost_usd: null,
        context_tokens: 500,
        context_limit: 2000,
      }),
      step({ turn: 2, status: 'failed', reason: 'rate limit' }),
    ]);
    expect(turns).toMatchObject([
      {
        turn: 1,
        inputTokens: 20,
        outputTokens: 4,
        costUsd: 0.02,
        latencyMs: 200,
        contextTokens: 500,
        contextLimit: 2000,
        contextPercent: 25,
        problems: 0,
      },
      {
        turn: 2,
        inputTokens: 10,
        outputTokens: 2,
        costUsd: 0.01,
        latencyMs: 100,
        contextTokens: null,
        contextLimit: null,
        contextPercent: null,
        problems: 1,
      },
    ]);
  });

  it('have the depth of their sub-agent', () => {
    expect([depthOf(step({})), depthOf(step({ agents: 'main->helper' }))]).toEqual([1, 2]);
  });

  it('of a sub-agent are below the call that started it, although they ended before', () => {
    const call = (more: Partial<SessionStep>) => step({ kind: 'tool', tokens: null, ...more });
    const [turn] = groupByTurn([
      step({}),
      step({ agents: 'main->helper', name: 'of the first' }),
      step({ agents: 'main->helper->reader', name: 'of the reader' }),
      call({ agents: 'main->helper', name: 'agent__reader' }),
      call({ name: 'agent__helper' }),
      call({ name: 'agent__helper', status: 'running' }),
      step({ agents: 'main->helper', name: 'of the second', status: 'running' }),
    ]);
    expect(turn?.steps.map(({ name }) => name)).toEqual([
      'p/m',
      'agent__helper',
      'of the first',
      'agent__reader',
      'of the reader',
      'agent__helper',
      'of the second',
    ]);
    expect(turn?.problems).toBe(0);
  });

  it('explain what was retried or cut, and nothing else', () => {
    expect(explainStep(step({}))).toBeUndefined();
    expect(explainStep(step({ status: 'running' }))).toBeUndefined();
    expect(explainStep(step({ status: 'rejected', reason: 'no tool call' }))).toBe(
      'Retried, because the answer was unusable: no tool call',
    );
    expect(explainStep(step({ dropped_tokens: 9000, status: 'failed' }))).toContain('9000 tokens');
    expect(explainStep(step({ kind: 'tool', status: 'failed' }))).toBe('The call failed.');
  });
});
