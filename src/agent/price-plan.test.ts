import { describe, expect, it } from 'vitest';
import type { AgentConfigFile } from './config/config-schema.ts';
import { openAgent } from './open-agent.ts';
import type { Pricing } from './session-config.ts';

async function pricesOf(models: string[], config: AgentConfigFile = {}): Promise<(Pricing | undefined)[]> {
  const agent = await openAgent({
    systemPrompt: 's',
    userPrompt: 'u',
    cwd: '/',
    env: { OPENAI_API_KEY: 'k'.repeat(20), ANTHROPIC_API_KEY: 'k'.repeat(20) },
    config,
    settings: { models, maxCostUsd: 1 },
  });
  return agent.plan.config.targets.map(({ pricing }) => pricing);
}

describe('a limit on the cost', () => {
  it('uses the published prices of models that are known', async () => {
    const prices = await pricesOf(['openai/gpt-5', 'anthropic/claude-sonnet-4-5']);
    for (const price of prices) {
      expect(price).toEqual({
        input: expect.any(Number) as number,
        output: expect.any(Number) as number,
        cacheRead: expect.any(Number) as number,
        ...(price?.cacheWrite !== undefined && { cacheWrite: expect.any(Number) as number }),
      });
      expect(price?.output).toBeGreaterThan(price?.input ?? Infinity);
    }
  });

  it('prefers the configured prices', async () => {
    const mine = { input: 3, output: 7 };
    expect(await pricesOf(['openai/gpt-5'], { pricing: { openai: { 'gpt-5': mine } } })).toEqual([mine]);
  });

  it.each([
    ['an unknown model', ['openai/no-such-model'], {}],
    ['a model named like a member of every object', ['openai/constructor'], { pricing: { openai: {} } }],
    ['an unknown address', ['p/gpt-5'], { providers: { p: { baseUrl: 'http://127.0.0.1:1/v1' } } }],
    [
      'a known family at an unknown address',
      ['openai/gpt-5'],
      { providers: { openai: { apiKey: 'k', baseUrl: 'http://127.0.0.1:1/v1' } } },
    ],
    ['one of several models', ['openai/gpt-5', 'openai/no-such-model'], {}],
  ])('is refused for %s without a price', async (_, models, config) => {
    await expect(pricesOf(models, config)).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('maxCostUsd cannot be enforced') as string,
    });
  });

  it('needs no price for providers that report the cost', async () => {
    const config: AgentConfigFile = { providers: { r: { type: 'openrouter', apiKey: 'k' } } };
    expect(await pricesOf(['r/any/model'], config)).toEqual([undefined]);
  });
});
