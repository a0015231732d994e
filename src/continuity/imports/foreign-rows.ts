import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';
import { NEVER_CLAIMED } from '../database/task-columns.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { ImportedRows } from '../store/merge/imported-rows.ts';
import type { MemoryKind, MemoryRow, MemoryScope, ValueType } from '../memory/memory.ts';
import type { EventRow } from '../events/event.ts';
import type { TaskRow, TaskStatus } from '../tasks/task.ts';

/** Rows of this store from the entries of other tools. */

export interface ForeignTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly blockedReason?: string | null;
  readonly priority: number;
  readonly projectId: string | null;
  readonly version?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A task without a claim: claims of another tool do not apply here. */
export function taskRow(task: ForeignTask): TaskRow {
  return {
    id: task.id,
    title: excerpt(storable(task.title).trim(), STORE_LIMITS.titleCharacters - 1) || '(untitled)',
    description: excerpt(storable(task.description), STORE_LIMITS.textCharacters - 1),
    status: task.status,
    priority: Math.max(-1000, Math.min(1000, Math.trunc(task.priority) || 0)),
    project_id: task.projectId,
    blocked_reason: task.status === 'blocked' ? (task.blockedReason ?? null) : null,
    open_dependencies: 0,
    version: task.version ?? 1,
    ...NEVER_CLAIMED,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
  };
}

export function eventRow(event: {
  readonly id: number;
  readonly kind: string;
  readonly agent: string;
  readonly projectId: string | null;
  readonly taskId: string | null;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly archivedAt?: string | null;
}): EventRow {
  return {
    id: event.id,
    kind: excerpt(storable(event.kind), 127) || 'note',
    agent_name: excerpt(storable(event.agent), STORE_LIMITS.nameCharacters - 1) || 'unknown',
    project_id: event.projectId,
    task_id: event.taskId,
    message: excerpt(storable(event.message), STORE_LIMITS.messageCharacters - 1),
    metadata: storable(JSON.stringify(event.metadata ?? {})),
    created_at: event.createdAt,
    archived_at: event.archivedAt ?? null,
  };
}

export interface ForeignMemory {
  readonly id: number;
  readonly scope: MemoryScope;
  readonly scopeId: string;
  readonly key: string;
  readonly value: string;
  readonly valueType: ValueType;
  readonly kind: MemoryKind;
  readonly pinned?: boolean;
  readonly source: string;
  readonly eventId?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string | null;
}

export function memoryRow(memory: ForeignMemory): MemoryRow {
  return {
    id: memory.id,
    scope: memory.scope,
    scope_id: storable(memory.scopeId),
    key: excerpt(storable(memory.key), STORE_LIMITS.nameCharacters - 1),
    value: excerpt(storable(memory.value), STORE_LIMITS.valueCharacters - 1),
    value_type: memory.valueType,
    kind: memory.kind,
    pinned: memory.pinned === true ? 1 : 0,
    source_agent: memory.source,
    event_id: memory.eventId ?? 0,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
    confirmed_at: memory.updatedAt,
    expires_at: memory.expiresAt ?? null,
    superseded_at: null,
    superseded_by: null,
  };
}

/**
 * The id of a task of another tool: its own id, by which people know it and which is a prefix of this one, and a part for the project, because
 * tools number each project from 1.
 */
export function foreignId(id: string, projectId: string): string {
  const plain = id.replaceAll(/[^\w.:@/+-]/gu, '-').slice(0, 80);
  return `task_${plain}.${sha256(projectId).slice(0, 6)}`;
}

/** For entries without a time: it must be the same in each import. */
export const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z';

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?(?:\s|$)/u;

/** Parses the times of other tools, which are in UTC unless they have an offset; undefined for other values. */
export function parseForeignTime(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  const [, day, time = '00:00', seconds = ':00', fraction = '', offset = 'Z'] =
    TIME.exec(String(value).trim()) ?? [];
  const zone = /^[+-]\d{4}$/u.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset;
  const ms = Date.parse(`${day}T${time}${seconds}${fraction.slice(0, 4)}${zone}`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** Returns the status of a task. A status that this store does not have becomes "pending", which is reported. */
export function statusOrPending(
  rows: ImportedRows,
  id: string,
  { known, given }: { readonly known: TaskStatus | undefined; readonly given: string },
): TaskStatus {
  if (known === undefined)
    rows.adjusted.push({ resource: 'task', id, reason: `the status "${given}" became "pending"` });
  return known ?? 'pending';
}

/** Renders a description: its parts, then the facts for which the store has no column. Empty ones are omitted. */
export function renderDescription(parts: readonly string[], facts: readonly [string, string][]): string {
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
  return [...parts, lines.join('\n')].filter((part) => part !== '').join('\n\n');
}

/** Removes what the store cannot contain. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '');
}

export function invalidSource(path: string, problem: string, hint: string): Fault {
  return new Fault('E_VALIDATION', `${path} ${problem}.`, {
    hint: `Nothing was imported. ${hint}`,
    details: { field: 'path', path },
  });
}
