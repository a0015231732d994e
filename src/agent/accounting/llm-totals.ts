import type { AccountingEntry } from '../accounting-entry.ts';

export interface LlmTotals {
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number };
  readonly costUsd: number;
}

/** Sums up the LLM usage of a session and its sub-agents. */
export function llmTotals(accounting: readonly AccountingEntry[]): LlmTotals {
  const llm = accounting.filter((entry) => entry.type === 'llm');
  const sum = (value: (entry: (typeof llm)[number]) => number | undefined): number =>
    llm.reduce((total, entry) => total + (value(entry) ?? 0), 0);
  return {
    tokens: {
      input: sum(({ tokens }) => tokens.inputTokens),
      output: sum(({ tokens }) => tokens.outputTokens),
      cached: sum(({ tokens }) => tokens.cachedTokens),
    },
    costUsd: sum(({ costUsd }) => costUsd),
  };
}
