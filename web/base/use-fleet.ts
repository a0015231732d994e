import { useEffect } from 'preact/hooks';
import type { Reads } from './commands.ts';
import { useRead, type ReadState } from './use-read.ts';

/** Workers announce themselves every five seconds; each read connects to the database. */
const EVERY_MS = 10_000;

type FleetRead = 'worker list' | 'work fleet' | 'triage fleet';

/**
 * Reads what other hosts report, at an interval: their changes are not in the events of this home. A home without a shared store has
 * no other hosts; it is asked once.
 */
export function useFleet<C extends FleetRead>(command: C): ReadState<Reads[C]['output']> {
  const state = useRead(command, {}, () => false);
  const { data, error, refresh } = state;
  const isShared = data !== undefined || (error !== undefined && error.code !== 'E_CONFIG');
  useEffect(() => {
    if (!isShared) return;
    const timer = setInterval(refresh, EVERY_MS);
    return () => clearInterval(timer);
  }, [isShared, refresh]);
  return state;
}
