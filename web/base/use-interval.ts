import { useEffect } from 'preact/hooks';

/** Runs an action at an interval while `isActive`, for data of other hosts: their changes do not appear in the events of this home. */
export function useInterval(everyMs: number, isActive: boolean, action: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(action, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isActive, action]);
}

/** Workers announce themselves and the last lines of their agents every five seconds. */
export const ANNOUNCED_MS = 5000;
