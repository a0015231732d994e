import type { TokenCounts } from '../accounting-entry.ts';
import type { LlmUsage } from '../llm-port.ts';
import type { Pricing } from '../session-config.ts';

/** Computes the cost of a request; undefined without a price. */
export function computeCost(usage: LlmUsage | undefined, pricing: Pricing | undefined): number | undefined {
  if (usage === undefined || pricing === undefined) return undefined;
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens);
  const dollars =
    (usage.inputTokens - written) * pricing.input +
    written * (pricing.cacheWrite ?? pricing.input) +
    usage.cacheReadTokens * (pricing.cacheRead ?? pricing.input) +
    usage.outputTokens * pricing.output;
  return dollars / 1_000_000;
}

/** Converts usage to the token counts of an accounting entry. */
export function tokenCounts(usage: LlmUsage | undefined): TokenCounts {
  if (usage === undefined) return { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens = 0 } = usage;
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens + cacheWriteTokens > 0 && {
      cachedTokens: cacheReadTokens,
      cacheReadInputTokens: cacheReadTokens,
      cacheWriteInputTokens: cacheWriteTokens,
    }),
    totalTokens: inputTokens + outputTokens + cacheReadTokens,
    ...(usage.estimated === true && { estimated: true }),
  };
}
