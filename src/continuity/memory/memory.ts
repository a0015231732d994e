import { Fault } from '../../base/fault.ts';
import type { QueryRunner } from '../database/database.ts';
import { findMemory } from '../database/queries/memories.ts';

export const MEMORY_SCOPES = ['global', 'project', 'task', 'agent'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export const VALUE_TYPES = ['string', 'number', 'boolean', 'json', 'array'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export const MEMORY_KINDS = ['fact', 'directive', 'lesson', 'decision'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** The scope and key of a memory; the global scope has an empty id. */
export interface MemoryLocation {
  readonly scope: MemoryScope;
  readonly scope_id: string;
  readonly key: string;
}

export interface MemoryRow {
  readonly id: number;
  readonly scope: string;
  readonly scope_id: string;
  readonly key: string;
  readonly value: string;
  readonly value_type: string;
  readonly kind: string;
  readonly pinned: number;
  readonly source_agent: string;
  readonly event_id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly confirmed_at: string;
  readonly expires_at: string | null;
  readonly superseded_at: string | null;
  readonly superseded_by: number | null;
}

/** A memory as returned to callers, with its source. */
export interface Memory {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly value_type: string;
  readonly scope: string;
  readonly scope_id?: string;
  readonly kind: string;
  readonly pinned: boolean;
  readonly source_agent: string;
  readonly event_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly confirmed_at: string;
  readonly expires_at?: string;
  readonly superseded_at?: string;
  /** The id of the memory that replaced it; absent if it was deleted. */
  readonly superseded_by?: string;
}

export function showMemory(row: MemoryRow): Memory {
  return {
    id: String(row.id),
    key: row.key,
    value: row.value,
    value_type: row.value_type,
    scope: row.scope,
    ...(row.scope_id !== '' && { scope_id: row.scope_id }),
    kind: row.kind,
    pinned: row.pinned === 1,
    source_agent: row.source_agent,
    event_id: String(row.event_id),
    created_at: row.created_at,
    updated_at: row.updated_at,
    confirmed_at: row.confirmed_at,
    ...(row.expires_at !== null && { expires_at: row.expires_at }),
    ...(row.superseded_at !== null && { superseded_at: row.superseded_at }),
    ...(row.superseded_by !== null && { superseded_by: String(row.superseded_by) }),
  };
}

/** Checks that a scope other than global has an id, and global has none. */
export function checkScope(scope: MemoryScope, scopeId: string | undefined): Omit<MemoryLocation, 'key'> {
  if (scope === 'global' && scopeId !== undefined && scopeId !== '') {
    throw new Fault('E_VALIDATION', 'The global scope does not accept a scope id.', {
      hint: 'Omit the scope id, or use another scope.',
      details: { field: 'scope_id', scope },
    });
  }
  if (scope !== 'global' && (scopeId === undefined || scopeId === '')) {
    throw new Fault('E_VALIDATION', `The scope ${scope} requires a scope id.`, {
      hint: `Pass the ${scope} to --scope-id.`,
      details: { field: 'scope_id', scope },
    });
  }
  return { scope, scope_id: scopeId ?? '' };
}

/** Finds a current memory that has not expired, or throws. */
export async function requireMemory(
  db: QueryRunner,
  location: MemoryLocation,
  at: string,
): Promise<MemoryRow> {
  const row = await db.first(findMemory, location);
  if (row !== undefined && (row.expires_at === null || row.expires_at > at)) return row;
  const where = location.scope === 'global' ? 'the global scope' : `${location.scope} ${location.scope_id}`;
  throw new Fault('E_NOT_FOUND', `No memory "${location.key}" in ${where}.`, {
    hint: 'Run "memory list" to see the keys of this scope.',
    details: { field: 'key', key: location.key, scope: location.scope },
  });
}
