import { Fault } from '../../base/fault.ts';
import type { Session } from '../database/database.ts';
import { findMemory } from '../database/queries/memories.ts';

export const MEMORY_SCOPES = ['global', 'project', 'task', 'agent'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export const VALUE_TYPES = ['string', 'number', 'boolean', 'json', 'array'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export const MEMORY_KINDS = ['fact', 'directive', 'lesson'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** Where a memory lies; the empty id is the global scope's. */
export interface MemoryPlace {
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
  readonly expires_at: string | null;
  readonly superseded_at: string | null;
}

/** A memory as callers see it, with where it came from. */
export interface Memory {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly value_type: string;
  readonly scope: string;
  readonly scope_id?: string;
  readonly kind: string;
  readonly pinned: boolean;
  readonly source_agent: string;
  readonly event_id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at?: string;
  readonly superseded_at?: string;
}

export function showMemory(row: MemoryRow): Memory {
  return {
    id: row.id,
    key: row.key,
    value: row.value,
    value_type: row.value_type,
    scope: row.scope,
    ...(row.scope_id !== '' && { scope_id: row.scope_id }),
    kind: row.kind,
    pinned: row.pinned === 1,
    source_agent: row.source_agent,
    event_id: row.event_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(row.expires_at !== null && { expires_at: row.expires_at }),
    ...(row.superseded_at !== null && { superseded_at: row.superseded_at }),
  };
}

/** Checks that a scope has an id where it needs one and none where it does not. */
export function placeOf(scope: MemoryScope, scopeId: string | undefined): Omit<MemoryPlace, 'key'> {
  if (scope === 'global' && scopeId !== undefined && scopeId !== '') {
    throw new Fault('E_VALIDATION', 'The global scope takes no scope id.', {
      hint: 'Leave the scope id out, or name another scope.',
      details: { field: 'scope_id', scope },
    });
  }
  if (scope !== 'global' && (scopeId === undefined || scopeId === '')) {
    throw new Fault('E_VALIDATION', `The scope ${scope} needs a scope id.`, {
      hint: `Name the ${scope} with --scope-id.`,
      details: { field: 'scope_id', scope },
    });
  }
  return { scope, scope_id: scopeId ?? '' };
}

/** Finds a memory in force, or refuses the call; one that has expired is as good as gone. */
export async function requireMemory(session: Session, place: MemoryPlace, at: string): Promise<MemoryRow> {
  const row = await session.first(findMemory, place);
  if (row !== undefined && (row.expires_at === null || row.expires_at > at)) return row;
  const where = place.scope === 'global' ? 'the global scope' : `${place.scope} ${place.scope_id}`;
  throw new Fault('E_NOT_FOUND', `There is no memory "${place.key}" in ${where}.`, {
    hint: 'See "memory list" for what is remembered there.',
    details: { field: 'key', key: place.key, scope: place.scope },
  });
}
