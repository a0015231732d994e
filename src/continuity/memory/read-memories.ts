import type { QueryRunner } from '../database/database.ts';
import { countRows } from '../database/query.ts';
import { listMemories, memoryHistory } from '../database/queries/memories.ts';
import { listMemoryScopes } from '../database/queries/memory-scopes.ts';
import type { MemoryLocation, MemoryRow } from './memory.ts';

export interface MemoryPosition {
  readonly pinned: number;
  readonly updated_at: string;
  readonly id: number;
}

/** Reads the current memories of one scope, pinned first, then the newest. */
export function readMemories(
  db: QueryRunner,
  scope: Omit<MemoryLocation, 'key'>,
  at: string,
  limit: number,
  after?: MemoryPosition,
): Promise<MemoryRow[]> {
  return db.all(listMemories(after !== undefined && 'after'), {
    ...scope,
    at,
    after_pinned: after?.pinned ?? 0,
    after_updated_at: after?.updated_at ?? '',
    after_id: after?.id ?? 0,
    limit,
  });
}

/** Counts the current memories of one scope. */
export async function countCurrent(
  db: QueryRunner,
  scope: Omit<MemoryLocation, 'key'>,
  at: string,
): Promise<number> {
  const values = { ...scope, at, after_pinned: 0, after_updated_at: '', after_id: 0, limit: 0 };
  return (await db.first(countRows(listMemories()), values))?.total ?? 0;
}

/** Reads all memories of a key, including superseded ones, newest first. */
export function readHistory(db: QueryRunner, location: MemoryLocation, limit: number): Promise<MemoryRow[]> {
  return db.all(memoryHistory, { ...location, limit });
}

/** A scope that has memories. */
export interface ScopeWithMemories {
  readonly scope: string;
  /** Absent for the global scope. */
  readonly scope_id?: string;
  /** Of a task. */
  readonly title?: string;
  readonly memories: number;
}

/** Reads the scopes that have current memories, last changed first. */
export async function readScopes(
  db: QueryRunner,
  at: string,
  limit: number,
): Promise<readonly ScopeWithMemories[]> {
  const rows = await db.all(listMemoryScopes, { at, limit });
  return rows.map(({ scope, scope_id, title, memories }) => ({
    scope,
    ...(scope_id !== '' && { scope_id }),
    ...(title !== null && { title }),
    memories,
  }));
}
