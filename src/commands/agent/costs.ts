import * as v from 'valibot';
import { isoTime } from '../../base/clock.ts';
import { described, int, number } from '../../base/schema.ts';
import { requireTime } from '../../base/require-time.ts';
import { defineRead } from '../../contract/command.ts';

const TOKENS = { input: int(), output: int(), cached: int() };

export default defineRead({
  path: 'agent costs',
  summary: 'Sum up what agents have spent, for today or since a given time',
  description:
    'Counts the requests of all sessions and work items, including those of sub-agents and tool servers, from the accounting in the home; and the runs of Claude Code and Codex, by their own reports. unpriced counts requests and runs without a known price, which cost_usd does not include',
  params: {
    since: described(
      v.optional(v.string()),
      'Only what was spent at or after this time, ISO 8601 (default: the last midnight)',
    ),
  },
  output: v.object({
    since: v.string(),
    cost_usd: number(),
    tokens: v.object(TOKENS),
    requests: int(),
    runs: int(),
    unpriced: int(),
    models: v.array(
      v.object({ model: v.string(), uses: int(), tokens: v.object(TOKENS), cost_usd: number() }),
    ),
  }),
  examples: ['agent costs', 'agent costs --since 2026-01-31T00:00:00Z --format text'],
  run: async ({ since }, context) => {
    const { sumSpending } = await import('./sum-spending.ts');
    const sinceMs = since === undefined ? midnight(context.system.clock.now()) : requireTime(since, 'since');
    return { since: isoTime(sinceMs), ...sumSpending(sinceMs, context) };
  },
});

function midnight(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}
