import type { Spending } from '../accounting/budget.ts';
import { computeCost } from '../accounting/cost.ts';
import type { Target } from '../session-config.ts';
import type { SessionScope } from './session-scope.ts';

/**
 * Estimates the spending of the next request: the spending of the last request, plus the tokens added since. The estimate for the first
 * request covers its prompt and its tool definitions, which the context guard must have counted before. After a failed attempt, the next
 * attempt is expected to cost at least as much.
 */
export function estimateSpending(scope: SessionScope, target: Target): Spending {
  const expected = spendingAfterLast(scope, target);
  const { lastFailed = expected } = scope.ledger;
  return lastFailed.tokens > expected.tokens ? lastFailed : expected;
}

function spendingAfterLast({ ledger, contextGuard }: SessionScope, { pricing }: Target): Spending {
  const { last } = ledger;
  if (last === undefined || last.tokens === 0) {
    const inputTokens = contextGuard.promptTokens;
    const prompt = { inputTokens, outputTokens: 0, cacheReadTokens: 0 };
    return { tokens: inputTokens, costUsd: computeCost(prompt, pricing) ?? 0 };
  }
  const tokens = last.tokens + contextGuard.pendingTokens;
  // Assumes that cost grows in proportion to tokens, cached or not.
  return { tokens, costUsd: (last.costUsd * tokens) / last.tokens };
}
