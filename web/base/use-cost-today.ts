import type { Reads } from './commands.ts';
import { now } from './clock.ts';
import { useRead, type ReadState } from './use-read.ts';

/** What agents have spent since midnight: sessions, sub-agents and runs. */
export function useCostToday(): ReadState<Reads['agent costs']['output']> {
  const since = new Date(new Date(now.peek()).setHours(0, 0, 0, 0)).toISOString();
  return useRead('agent costs', { since }, ({ sessions, runs }) => sessions.length > 0 || runs.length > 0);
}
