import type { QueryRunner } from '../database/database.ts';
import { listLoopRuns } from '../database/queries/events.ts';

export interface LoopRun {
  readonly at: string;
  readonly agent_name: string;
  readonly completed: number;
  readonly failed: number;
  readonly blocked: number;
  readonly total: number;
  readonly duration_sec: number;
}

export interface LoopStats {
  readonly runs: number;
  readonly avg_completed: number;
  readonly avg_failed: number;
  readonly blocked_rate: number;
  readonly avg_duration_sec: number;
  readonly history: LoopRun[];
}

/** Reads the results of the last loops. */
export async function readLoopStats(
  db: QueryRunner,
  last: number,
  projectId: string | undefined,
): Promise<LoopStats> {
  const rows = await db.all(listLoopRuns(projectId !== undefined && 'project'), {
    project_id: projectId ?? '',
    limit: last,
  });
  const history = rows.map(({ created_at, agent_name, metadata }): LoopRun => {
    const run = JSON.parse(metadata) as Record<string, number> & { results?: { status: string }[] };
    return {
      at: created_at,
      agent_name,
      completed: run.completed ?? 0,
      failed: run.failed ?? 0,
      blocked: (run.results ?? []).filter(({ status }) => status === 'blocked' || status === 'timeout')
        .length,
      total: run.total ?? 0,
      duration_sec: run.duration_sec ?? 0,
    };
  });
  const sum = (valueOf: (run: LoopRun) => number): number =>
    history.reduce((total, run) => total + valueOf(run), 0);
  const average = (total: number, count: number): number =>
    count === 0 ? 0 : Math.round((total / count) * 100) / 100;
  return {
    runs: history.length,
    avg_completed: average(
      sum(({ completed }) => completed),
      history.length,
    ),
    avg_failed: average(
      sum(({ failed }) => failed),
      history.length,
    ),
    blocked_rate: average(
      sum(({ blocked }) => blocked),
      sum(({ total }) => total),
    ),
    avg_duration_sec: average(
      sum(({ duration_sec }) => duration_sec),
      history.length,
    ),
    history,
  };
}
