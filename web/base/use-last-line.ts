import { useEffect, useState } from 'preact/hooks';
import { items } from './api.ts';
import type { Streams } from './commands.ts';

type Line = Streams['work log']['output'];

const PAINT_MS = 250;

/** The last line that the agents of a job printed, live. */
export function useLastLine(jobId: string, isFollowed: boolean): Line | undefined {
  const [line, setLine] = useState<Line>();
  useEffect(() => {
    if (!isFollowed) return;
    const controller = new AbortController();
    let last: Line | undefined;
    const timer = setInterval(() => setLine(last), PAINT_MS);
    const follow = async (): Promise<void> => {
      const parameters = { id: jobId, follow: true, tail: 1 };
      for await (const next of items('work log', parameters, controller.signal)) last = next;
    };
    // Without the line the page is still right: the job itself is read separately.
    follow().catch(() => undefined);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [jobId, isFollowed]);
  return line;
}
