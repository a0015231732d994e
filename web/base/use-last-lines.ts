import { useEffect, useState } from 'preact/hooks';
import { itemsOfAll } from './api.ts';
import type { Streams } from './commands.ts';
import { follow } from './follow.ts';

type Line = Streams['work log']['output'];

const PAINT_MS = 250;
/** The server follows no more jobs over one connection. */
const MAX_JOBS = 20;

/** The last line that the agents of each job printed, live and by the id of the job. */
export function useLastLines(jobIds: readonly string[]): ReadonlyMap<string, Line> {
  const [lines, setLines] = useState<ReadonlyMap<string, Line>>(new Map());
  const ids = jobIds.slice(0, MAX_JOBS);
  useEffect(() => {
    if (ids.length === 0) return;
    let last: ReadonlyMap<string, Line> = lines;
    const timer = setInterval(() => setLines(last), PAINT_MS);
    // Without the lines the page is still right: the jobs themselves are read separately.
    const end = follow(async (signal) => {
      const parameters = ids.map((id) => ({ id, follow: true, tail: 1 }));
      for await (const { index, item } of itemsOfAll('work log', parameters, signal))
        last = new Map(last).set(ids[index] ?? '', item);
    });
    return () => {
      clearInterval(timer);
      end();
    };
  }, [ids.join(' ')]);
  return lines;
}
