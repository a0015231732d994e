import { useMemo } from 'preact/hooks';
import type { CallError } from './api.ts';
import type { Reads } from './commands.ts';
import type { Changes } from './live.ts';
import { useRead } from './use-read.ts';

export type RunRow = Reads['work list']['output']['items'][number];

/** The runs of one job, newest first. */
export interface JobRow {
  readonly id: string;
  readonly root: string;
  readonly runs: readonly RunRow[];
  /** Of an item that ran again only the last run. */
  readonly latest: readonly RunRow[];
}

interface Runs {
  readonly runs: readonly RunRow[] | undefined;
  readonly error: CallError | undefined;
  readonly refresh: () => void;
}

const MAX_RUNS = 100;
/** The most that one page of an answer can have. */
const MAX_OPEN = 500;

const isAffected = ({ runs, jobs }: Changes): boolean => runs.length + jobs.length > 0;

/** The newest runs, and all that run or wait for a person; kept current. */
export function useRuns(): Runs {
  const newest = useRead('work list', { limit: MAX_RUNS }, isAffected);
  const waiting = useRead('work list', { status: 'waiting', limit: MAX_OPEN }, isAffected);
  const running = useRead('work list', { status: 'running', limit: MAX_OPEN }, isAffected);
  const reads = [newest, waiting, running];
  const [first, ...others] = reads.map(({ data }) => data?.items);
  return {
    runs: useMemo(
      () =>
        first === undefined || others.includes(undefined)
          ? undefined
          : mergeOpen(
              first,
              others.flatMap((rows) => rows ?? []),
            ),
      [first, ...others],
    ),
    error: reads.find(({ error }) => error !== undefined)?.error,
    refresh: () => {
      for (const { refresh } of reads) refresh();
    },
  };
}

/** Adds open runs to the newest ones. The lists were read one after the other: of two rows of a run, that of the newest runs counts. */
export function mergeOpen(newest: readonly RunRow[], open: readonly RunRow[]): readonly RunRow[] {
  const oldest = newest.at(-1)?.run_id ?? '';
  const older = open.filter(({ run_id }) => run_id < oldest);
  const byId = new Map(older.map((row) => [row.run_id, row]));
  return [...newest, ...[...byId.values()].toSorted((a, b) => (a.run_id < b.run_id ? 1 : -1))];
}

/** Groups runs by their job, the newest job first. */
export function groupByJob(runs: readonly RunRow[]): readonly JobRow[] {
  const groups = Map.groupBy(
    runs.filter(({ job_id }) => job_id !== null),
    ({ job_id }) => job_id ?? '',
  );
  return [...groups].map(([id, rows]) => ({
    id,
    root: rows[0]?.root ?? '',
    runs: rows,
    latest: [...Map.groupBy(rows, ({ item_id }) => item_id).values()].flatMap((runs) => runs.slice(0, 1)),
  }));
}
