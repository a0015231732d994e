import type { CallError } from './api.ts';
import type { Reads } from './commands.ts';
import { useRead } from './use-read.ts';

export type RunRow = Reads['work list']['output']['items'][number];

/** The runs of one job, newest first. */
export interface JobRow {
  readonly id: string;
  readonly root: string;
  readonly runs: readonly RunRow[];
}

interface Runs {
  readonly runs: readonly RunRow[] | undefined;
  readonly error: CallError | undefined;
  readonly refresh: () => void;
}

const MAX_RUNS = 100;

/** The newest runs, kept current. */
export function useRuns(): Runs {
  const { data, error, refresh } = useRead(
    'work list',
    { limit: MAX_RUNS },
    ({ runs, jobs }) => runs.length + jobs.length > 0,
  );
  return { runs: data?.items, error, refresh };
}

/** Groups runs by their job, the newest job first. */
export function groupByJob(runs: readonly RunRow[]): readonly JobRow[] {
  const groups = Map.groupBy(
    runs.filter(({ job_id }) => job_id !== null),
    ({ job_id }) => job_id ?? '',
  );
  return [...groups].map(([id, rows]) => ({ id, root: rows[0]?.root ?? '', runs: rows }));
}
