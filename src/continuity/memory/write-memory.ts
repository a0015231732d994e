import { Fault } from '../../base/fault.ts';
import {
  deleteMemory,
  findMemory,
  insertMemory,
  listExpired,
  supersedeMemory,
} from '../database/queries/memories.ts';
import { findTask } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { isPerson } from '../person.ts';
import {
  requireMemory,
  type MemoryKind,
  type MemoryPlace,
  type MemoryRow,
  type ValueType,
} from './memory.ts';

export interface NewMemory extends MemoryPlace {
  readonly value: string;
  readonly valueType: ValueType;
  /** Kept from the memory it replaces when absent. */
  readonly kind?: MemoryKind | undefined;
  readonly pinned?: boolean | undefined;
  readonly expiresAt: string | null;
}

/** Remembers a value. What was remembered under the key before is superseded and stays in its history. */
export async function setMemory(scope: Scope, memory: NewMemory): Promise<{ id: number; eventId: number }> {
  const place = { scope: memory.scope, scope_id: memory.scope_id, key: memory.key };
  const previous = await scope.session.first(findMemory, place);
  if (previous) assertOwn(scope, previous);
  const eventId = await appendEvent(scope, {
    kind: 'memory_set',
    message: `${where(place)}${memory.key}`,
    ...(await origin(scope, place)),
    metadata: { ...place, ...(previous && { supersedes: previous.id }) },
  });
  if (previous) {
    await scope.session.run(supersedeMemory, { id: previous.id, at: scope.at });
    await unindex(scope, previous.id);
  }
  const row = await scope.session.first(insertMemory, {
    ...place,
    value: memory.value,
    value_type: memory.valueType,
    kind: memory.kind ?? previous?.kind ?? 'fact',
    pinned: (memory.pinned ?? previous?.pinned === 1) ? 1 : 0,
    agent: scope.agent,
    event_id: eventId,
    created_at: previous?.created_at ?? scope.at,
    at: scope.at,
    expires_at: memory.expiresAt,
  });
  if (row === undefined) throw new Error('an inserted memory has no number');
  const { fullText } = scope.session;
  if (fullText) await scope.session.run(fullText.add, { id: row.id, key: memory.key, value: memory.value });
  return { id: row.id, eventId };
}

/** Takes a memory out of force; its history stays: only a memory that expired is ever removed. */
export async function forgetMemory(scope: Scope, place: MemoryPlace): Promise<{ eventId: number }> {
  const row = await requireMemory(scope.session, place, scope.at);
  assertOwn(scope, row);
  await scope.session.run(supersedeMemory, { id: row.id, at: scope.at });
  await unindex(scope, row.id);
  const eventId = await appendEvent(scope, {
    kind: 'memory_deleted',
    message: `${where(place)}${place.key}`,
    ...(await origin(scope, place)),
    metadata: { scope: place.scope, scope_id: place.scope_id, key: place.key },
  });
  return { eventId };
}

/** Removes memories whose time is over. */
export async function collectMemory(
  scope: Scope,
  { limit, since }: { readonly limit: number; readonly since: string },
): Promise<{ eventId: number; deleted: number }> {
  const expired = await scope.session.all(listExpired, { at: scope.at, since, limit });
  for (const { id } of expired) {
    await unindex(scope, id);
    await scope.session.run(deleteMemory, { id });
  }
  const eventId = await appendEvent(scope, {
    kind: 'memory_gc',
    message: `${expired.length} expired memories removed`,
    metadata: { deleted: expired.length, limit },
  });
  return { eventId, deleted: expired.length };
}

/** What a person told all agents to do, no agent can tell otherwise. */
function assertOwn({ agent }: Scope, { kind, key }: MemoryRow): void {
  if (kind !== 'directive' || isPerson(agent)) return;
  throw new Fault('E_HUMAN_REQUIRED', `"${key}" is a directive, which only a person can change.`, {
    hint: 'Remember it under another key, or ask the person.',
    details: { field: 'key', key },
  });
}

async function unindex({ session }: Scope, id: number): Promise<void> {
  if (session.fullText) await session.run(session.fullText.remove, { id });
}

/** The project and task that a memory's events belong to. */
async function origin(
  scope: Scope,
  place: MemoryPlace,
): Promise<{ projectId: string | null; taskId: string | null }> {
  if (place.scope === 'project') return { projectId: place.scope_id, taskId: null };
  if (place.scope !== 'task') return { projectId: null, taskId: null };
  const task = await scope.session.first(findTask, { id: place.scope_id });
  return { projectId: task?.project_id ?? null, taskId: place.scope_id };
}

function where(place: MemoryPlace): string {
  return place.scope === 'global' ? '' : `${place.scope}/${place.scope_id}/`;
}
