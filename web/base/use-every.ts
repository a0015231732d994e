import { useEffect } from 'preact/hooks';

/** Runs an action at an interval while it is wanted: for what other hosts change, which is not in the events of this home. */
export function useEvery(everyMs: number, isWanted: boolean, action: () => void): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(action, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isWanted, action]);
}

/** Workers announce themselves and the last lines of their agents every five seconds. */
export const ANNOUNCED_MS = 5000;
