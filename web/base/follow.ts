import { onChanges } from './live.ts';

/**
 * Keeps a stream open while the page is visible: a browser allows few connections to one server, and hidden pages would take those of the
 * visible one. A stream that broke is opened again when the server answers again; one that ended is not.
 */
export function follow(open: (signal: AbortSignal) => Promise<void>): () => void {
  let current: AbortController | undefined;
  let hasEnded = false;
  const start = async (): Promise<void> => {
    if (hasEnded || current !== undefined || document.hidden) return;
    const own = new AbortController();
    current = own;
    try {
      await open(own.signal);
      hasEnded ||= !own.signal.aborted;
    } catch {
      // The reader was told; what remains is to open it again.
    } finally {
      if (current === own) current = undefined;
    }
  };
  const stop = (): void => {
    current?.abort();
    current = undefined;
  };
  const onVisibility = (): void => (document.hidden ? stop() : void start());
  document.addEventListener('visibilitychange', onVisibility);
  const end = onChanges((changes) => {
    if (changes === undefined) void start();
  });
  void start();
  return () => {
    hasEnded = true;
    document.removeEventListener('visibilitychange', onVisibility);
    end();
    stop();
  };
}
