import { llmTotals } from '../../agent/accounting/llm-totals.ts';
import type { AIAgentResult } from '../../agent/agent-result.ts';
import type { JsonObject } from '../../base/json.ts';

/** Sums up the usage of a session and its sub-agents. */
export function sessionUsage({ accounting, txnId, turns }: AIAgentResult): JsonObject {
  const llm = accounting.filter((entry) => entry.type === 'llm');
  const { tokens, costUsd } = llmTotals(accounting);
  return {
    session_id: txnId,
    models: [...new Set(llm.map(({ provider, model }) => `${provider}/${model}`))],
    requests: llm.length,
    turns,
    tokens,
    cost_usd: costUsd,
  };
}
