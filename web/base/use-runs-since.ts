import { useEffect } from 'preact/hooks';
import { usePages } from './use-pages.ts';
import type { RunRow } from './use-runs.ts';

const PAGE = 200;
/** Reading more would take longer than a person waits; the page of the jobs has all of them. */
const MAX_RUNS = 1000;

/** The runs that ended after a time, newest first, page by page; undefined until the first page. */
export function useRunsSince(since: string): readonly RunRow[] | undefined {
  const { items, hasMore, loadMore } = usePages(
    'work list',
    { limit: PAGE },
    { keyOf: ({ run_id }) => run_id, isAffected: ({ runs, jobs }) => runs.length + jobs.length > 0 },
  );
  const count = items?.length ?? 0;
  const reachesBack = (items?.at(-1)?.at ?? '') < since;
  useEffect(() => {
    if (count > 0 && count < MAX_RUNS && hasMore && !reachesBack) loadMore();
  }, [count, hasMore, reachesBack]);
  return items;
}
