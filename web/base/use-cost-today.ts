import { now } from './clock.ts';
import { useRead } from './use-read.ts';

export interface CostToday {
  readonly sessions: number;
  readonly tokens: number;
  readonly costUsd: number;
}

const MAX_SESSIONS = 500;

/** What the sessions that changed since midnight have cost. */
export function useCostToday(): CostToday | undefined {
  const { data } = useRead(
    'agent sessions list',
    { limit: MAX_SESSIONS },
    ({ sessions }) => sessions.length > 0,
  );
  if (data === undefined) return undefined;
  const midnight = new Date(now.peek()).setHours(0, 0, 0, 0);
  const today = data.items.filter(({ updated_at }) => Date.parse(updated_at) >= midnight);
  return {
    sessions: today.length,
    tokens: today.reduce((sum, { tokens }) => sum + tokens, 0),
    costUsd: today.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
  };
}
