import type { AIAgentResult } from '../../agent/agent-result.ts';
import type { JsonObject } from '../../base/json.ts';

/** Sums up what a session used, sub-agents included. */
export function sessionUsage({ accounting, txnId, turns }: AIAgentResult): JsonObject {
  const llm = accounting.filter((entry) => entry.type === 'llm');
  const sum = (value: (entry: (typeof llm)[number]) => number | undefined): number =>
    llm.reduce((total, entry) => total + (value(entry) ?? 0), 0);
  return {
    session_id: txnId,
    models: [...new Set(llm.map(({ provider, model }) => `${provider}/${model}`))],
    requests: llm.length,
    turns,
    tokens: {
      input: sum(({ tokens }) => tokens.inputTokens),
      output: sum(({ tokens }) => tokens.outputTokens),
      cached: sum(({ tokens }) => tokens.cachedTokens),
    },
    cost_usd: sum(({ costUsd }) => costUsd),
  };
}
