import type { Spending } from '../accounting/budget.ts';
import { computeCost } from '../accounting/cost.ts';
import type { Target } from '../session-config.ts';
import type { SessionScope } from './session-scope.ts';

/**
 * Estimates the spending of the next request: that of the last one, plus the tokens added since. The estimate for the first request
 * covers only its prompt.
 */
export function estimateSpending({ ledger, guard }: SessionScope, { pricing }: Target): Spending {
  const { last } = ledger;
  const added = guard.pendingTokens;
  if (last === undefined || last.tokens === 0) {
    const prompt = { inputTokens: added, outputTokens: 0, cacheReadTokens: 0 };
    return { tokens: added, costUsd: computeCost(prompt, pricing) ?? 0 };
  }
  const tokens = last.tokens + added;
  // Assumes that cost grows in proportion to tokens, cached or not.
  return { tokens, costUsd: (last.costUsd * tokens) / last.tokens };
}
