import {
  confirmMemory,
  deleteMemory,
  findMemory,
  insertMemory,
  linkSuperseded,
  listExpired,
  supersedeMemory,
} from '../database/queries/memories.ts';
import { findTask } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { isPerson } from '../person.ts';
import { requireTask, type TaskRow } from '../tasks/task.ts';
import { directiveFault } from './directive-fault.ts';
import { readMemories } from './read-memories.ts';
import {
  requireMemory,
  type MemoryKind,
  type MemoryLocation,
  type MemoryRow,
  type ValueType,
} from './memory.ts';

export interface NewMemory extends MemoryLocation {
  readonly value: string;
  readonly valueType: ValueType;
  /** Copied from the previous memory of the key if undefined. */
  readonly kind?: MemoryKind | undefined;
  readonly pinned?: boolean | undefined;
  readonly expiresAt: string | null;
}

/**
 * Stores a memory. The previous memory of the key is superseded and stays in its history; if it has the same content, it is confirmed
 * instead.
 */
export async function setMemory(scope: Scope, memory: NewMemory): Promise<{ id: number; eventId: string }> {
  const location = { scope: memory.scope, scope_id: memory.scope_id, key: memory.key };
  const previous = await scope.db.first(findMemory, location);
  if (previous) assertMayChange(scope, previous);
  // A memory of a task that does not exist would never be shown.
  const task = location.scope === 'task' ? await requireTask(scope.db, location.scope_id) : undefined;
  const confirms = previous !== undefined && isSame(previous, memory, scope.at);
  const eventId = await appendEvent(scope, {
    kind: 'memory_set',
    message: `${keyPrefix(location)}${memory.key}`,
    ...targetOf(location, task),
    metadata: {
      ...location,
      ...(previous && { [confirms ? 'confirms' : 'supersedes']: String(previous.id) }),
    },
  });
  if (confirms) {
    await scope.db.send(confirmMemory, {
      id: previous.id,
      at: scope.at,
      expires_at: memory.expiresAt,
    });
    return { id: previous.id, eventId };
  }
  const at = previous === undefined ? scope.at : laterThan(previous.updated_at, scope.at);
  if (previous) {
    await scope.db.send(supersedeMemory, { id: previous.id, at });
    await unindex(scope, previous.id);
  }
  const row = await scope.db.first(insertMemory, {
    ...location,
    value: memory.value,
    value_type: memory.valueType,
    kind: memory.kind ?? previous?.kind ?? 'fact',
    pinned: (memory.pinned ?? previous?.pinned === 1) ? 1 : 0,
    source_agent: scope.agent,
    event_id: Number(eventId),
    created_at: previous?.created_at ?? at,
    updated_at: at,
    confirmed_at: at,
    expires_at: memory.expiresAt,
    superseded_at: null,
  });
  if (row === undefined) throw new Error('the inserted memory has no id');
  if (previous) await scope.db.send(linkSuperseded, { id: previous.id, by: row.id });
  const { fullText } = scope.db;
  if (fullText) await scope.db.send(fullText.add, { id: row.id, key: memory.key, value: memory.value });
  return { id: row.id, eventId };
}

/** Returns the time of a new version: later than the time of the version it replaces, so that two machines agree which version is newer. */
function laterThan(previous: string, at: string): string {
  return at > previous ? at : new Date(Date.parse(previous) + 1).toISOString();
}

/** Whether a new memory repeats the current one; an expired memory is replaced, not confirmed. */
function isSame(previous: MemoryRow, memory: NewMemory, at: string): boolean {
  return (
    previous.value === memory.value &&
    previous.value_type === memory.valueType &&
    (memory.kind ?? previous.kind) === previous.kind &&
    (memory.pinned ?? previous.pinned === 1) === (previous.pinned === 1) &&
    (previous.expires_at === null || previous.expires_at > at)
  );
}

/** Confirms the current memory of a key without repeating its value. */
export async function confirmMemoryOf(scope: Scope, location: MemoryLocation): Promise<{ eventId: string }> {
  const row = await requireMemory(scope.db, location, scope.at);
  assertMayChange(scope, row);
  await scope.db.send(confirmMemory, { id: row.id, at: scope.at, expires_at: row.expires_at });
  const eventId = await appendEvent(scope, {
    kind: 'memory_set',
    message: `${keyPrefix(location)}${location.key}`,
    ...(await eventTarget(scope, location)),
    metadata: {
      scope: location.scope,
      scope_id: location.scope_id,
      key: location.key,
      confirms: String(row.id),
    },
  });
  return { eventId };
}

/** Deletes the current memory of a key. Its history stays; only expired memories are ever removed from the database. */
export async function forgetMemory(scope: Scope, location: MemoryLocation): Promise<{ eventId: string }> {
  const row = await requireMemory(scope.db, location, scope.at);
  assertMayChange(scope, row);
  await scope.db.send(supersedeMemory, { id: row.id, at: scope.at });
  await unindex(scope, row.id);
  const eventId = await appendEvent(scope, {
    kind: 'memory_deleted',
    message: `${keyPrefix(location)}${location.key}`,
    ...(await eventTarget(scope, location)),
    metadata: { scope: location.scope, scope_id: location.scope_id, key: location.key },
  });
  return { eventId };
}

/** Supersedes all memories of a task that is deleted. */
export async function forgetTaskMemories(scope: Scope, taskId: string): Promise<void> {
  const place = { scope: 'task', scope_id: taskId } as const;
  for (;;) {
    const rows = await readMemories(scope.db, place, '', PAGE_ROWS);
    for (const { id } of rows) {
      await scope.db.send(supersedeMemory, { id, at: scope.at });
      await unindex(scope, id);
    }
    if (rows.length < PAGE_ROWS) return;
  }
}

const PAGE_ROWS = 500;

/** Removes expired memories from the database. */
export async function deleteExpiredMemories(
  scope: Scope,
  { limit, since, at }: { readonly limit: number; readonly since: string; readonly at: string },
): Promise<{ eventId: string; deleted: number }> {
  const expired = await scope.db.all(listExpired, { at, since, limit });
  for (const { id } of expired) {
    await unindex(scope, id);
    await scope.db.send(deleteMemory, { id });
  }
  const eventId = await appendEvent(scope, {
    kind: 'memory_gc',
    message: `${expired.length} expired memories removed`,
    metadata: { deleted: expired.length, limit },
  });
  return { eventId, deleted: expired.length };
}

/** Only a person can change or delete a directive. */
function assertMayChange({ agent }: Scope, row: MemoryRow): void {
  const { kind, key } = row;
  if (kind !== 'directive' || isPerson(agent)) return;
  const message = `"${key}" is a directive, and only a person can change it.`;
  throw directiveFault(message, 'Use another key, or ask the user.', row, { field: 'key', key });
}

async function unindex({ db }: Scope, id: number): Promise<void> {
  if (db.fullText) await db.send(db.fullText.remove, { id });
}

/** The project and task that a memory's events belong to. */
async function eventTarget(
  scope: Scope,
  location: MemoryLocation,
): Promise<{ projectId: string | null; taskId: string | null }> {
  const isOfTask = location.scope === 'task';
  return targetOf(location, isOfTask ? await scope.db.first(findTask, { id: location.scope_id }) : undefined);
}

function targetOf(
  location: MemoryLocation,
  task: Pick<TaskRow, 'project_id'> | undefined,
): { projectId: string | null; taskId: string | null } {
  if (location.scope === 'project') return { projectId: location.scope_id, taskId: null };
  if (location.scope !== 'task') return { projectId: null, taskId: null };
  return { projectId: task?.project_id ?? null, taskId: location.scope_id };
}

function keyPrefix(location: MemoryLocation): string {
  return location.scope === 'global' ? '' : `${location.scope}/${location.scope_id}/`;
}
