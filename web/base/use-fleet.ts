import type { Reads } from './commands.ts';
import { ANNOUNCED_MS, useInterval } from './use-interval.ts';
import { useRead, type ReadState } from './use-read.ts';

/** Each read connects to the database. */
const EVERY_MS = 2 * ANNOUNCED_MS;

type FleetRead = 'worker list' | 'work fleet' | 'triage fleet';

export type FleetJob = Reads['work fleet']['output']['jobs'][number];

/**
 * Reads what other hosts report, at an interval: their changes are not in the events of this home. A home without a shared store has
 * no other hosts; it is asked once.
 */
export function useFleet<C extends FleetRead>(
  command: C,
  parameters: Reads[C]['input'] = {},
): ReadState<Reads[C]['output']> {
  const state = useRead(command, parameters, () => false);
  const { data, error, refresh } = state;
  const isShared = data !== undefined || (error !== undefined && error.code !== 'E_CONFIG');
  useInterval(EVERY_MS, isShared, refresh);
  return state;
}
