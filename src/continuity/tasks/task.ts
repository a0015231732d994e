import { Fault } from '../../base/fault.ts';
import type { QueryRunner } from '../database/database.ts';
import { listDependencies } from '../database/queries/dependencies.ts';
import { listTaskIdsOfEvents } from '../database/queries/events.ts';
import { findTask } from '../database/queries/tasks.ts';

export const TASK_STATUSES = ['pending', 'in_progress', 'completed', 'blocked'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const DEPENDENCY_KINDS = ['blocks', 'related', 'discovered-from'] as const;
export type DependencyKind = (typeof DEPENDENCY_KINDS)[number];

/** A task as stored. */
export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly priority: number;
  readonly project_id: string | null;
  readonly blocked_reason: string | null;
  readonly open_dependencies: number;
  readonly version: number;
  readonly claimed_by: string | null;
  readonly claimed_at: string | null;
  readonly claim_expires_at: string | null;
  readonly claim_lease_ms: number | null;
  readonly claim_session: string | null;
  readonly claim_number: number;
  readonly attempts: number;
  readonly retry_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A task as returned to callers. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly project_id?: string;
  readonly blocked_reason?: string;
  readonly depends_on?: string[];
  readonly related?: { id: string; kind: string }[];
  readonly claim?: { agent: string; session?: string; number: number; expires_at: string; expired: boolean };
  /** The failed attempts of loops. */
  readonly attempts?: number;
  /** The task is not offered before this time. */
  readonly retry_at?: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Finds a task or throws. */
export async function requireTask(db: QueryRunner, id: string): Promise<TaskRow> {
  const row = await db.first(findTask, { id });
  if (row !== undefined) return row;
  throw new Fault('E_NOT_FOUND', `Unknown task: "${id}".`, {
    hint: 'Run "task list" to see the tasks.',
    details: { field: 'id', id },
  });
}

/** Throws for an id that no task ever had; the events of a deleted task remain. */
export async function requireKnownTask(db: QueryRunner, id: string): Promise<void> {
  if ((await db.first(findTask, { id })) !== undefined) return;
  const events = await db.all(listTaskIdsOfEvents, { from: id, to: `${id}\u0001`, limit: 1 });
  if (events.length === 0) await requireTask(db, id);
}

/** Converts a row to a task with its dependencies. */
export async function showTask(db: QueryRunner, row: TaskRow, at: string): Promise<Task> {
  const links = await db.all(listDependencies, { task_id: row.id });
  const blockers = links.filter(({ kind }) => kind === 'blocks').map(({ depends_on }) => depends_on);
  const related = links.flatMap(({ depends_on, kind }) =>
    kind === 'blocks' ? [] : [{ id: depends_on, kind }],
  );
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    status: row.status as TaskStatus,
    priority: row.priority,
    ...(row.project_id !== null && { project_id: row.project_id }),
    ...(row.blocked_reason !== null && { blocked_reason: row.blocked_reason }),
    ...(blockers.length > 0 && { depends_on: blockers }),
    ...(related.length > 0 && { related }),
    ...claimOf(row, at),
    ...(row.attempts > 0 && { attempts: row.attempts }),
    ...(row.retry_at !== null && { retry_at: row.retry_at }),
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function claimOf(row: TaskRow, at: string): Pick<Task, 'claim'> {
  if (row.claimed_by === null || row.claim_expires_at === null) return {};
  const expired = row.claim_expires_at <= at;
  return {
    claim: {
      agent: row.claimed_by,
      ...(row.claim_session !== null && { session: row.claim_session }),
      number: row.claim_number,
      expires_at: row.claim_expires_at,
      expired,
    },
  };
}
