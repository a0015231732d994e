import type { Reads } from './commands.ts';
import { now } from './clock.ts';
import { useRead } from './use-read.ts';

/** What agents have spent since midnight: sessions, sub-agents and runs. */
export function useCostToday(): Reads['agent costs']['output'] | undefined {
  const since = new Date(new Date(now.peek()).setHours(0, 0, 0, 0)).toISOString();
  const { data } = useRead(
    'agent costs',
    { since },
    ({ sessions, runs }) => sessions.length > 0 || runs.length > 0,
  );
  return data;
}
