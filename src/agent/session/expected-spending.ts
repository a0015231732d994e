import type { Spending } from '../accounting/budget.ts';
import { costOf } from '../accounting/cost.ts';
import type { Target } from '../session-config.ts';
import type { SessionScope } from './session-scope.ts';

/**
 * What the next request will take: what the last one took, and what was added since. The first one takes at least its prompt; how much
 * it will answer nobody knows.
 */
export function expectedSpending({ ledger, guard }: SessionScope, { pricing }: Target): Spending {
  const { last } = ledger;
  const added = guard.pendingTokens;
  if (last === undefined || last.tokens === 0) {
    const prompt = { inputTokens: added, outputTokens: 0, cacheReadTokens: 0 };
    return { tokens: added, costUsd: costOf(prompt, pricing) ?? 0 };
  }
  const tokens = last.tokens + added;
  // Cached or not, a prompt that grows costs in proportion.
  return { tokens, costUsd: (last.costUsd * tokens) / last.tokens };
}
