import { isPlainObject } from '../../base/json.ts';
import { MEMORY_KINDS, MEMORY_SCOPES, VALUE_TYPES } from '../memory/memory.ts';
import { noRows, type ForeignRows } from '../store/merge/imported-rows.ts';
import { TASK_STATUSES } from '../tasks/task.ts';
import {
  eventRow,
  memoryRow,
  parseForeignTime,
  statusOrPending,
  taskRow,
  UNKNOWN_TIME,
} from './foreign-rows.ts';
import type { VybeTables } from './vybe-tables.ts';

type Row = Readonly<Record<string, unknown>>;

/** The author of memories whose event the store does not have. */
const UNKNOWN_SOURCE = 'vybe';

/** Converts the tables of the Go program vybe. Ids of tasks stay; columns that a version does not have are left out. */
export function vybeRows(tables: VybeTables, at: string): ForeignRows {
  const rows: ForeignRows = { ...noRows(), events: [] };
  for (const row of tables.tasks) rows.tasks.push(convertTask(row, rows));
  const tasks = new Set(rows.tasks.map(({ id }) => id));
  for (const row of tables.dependencies)
    rows.dependencies.push({
      task_id: text(row.task_id),
      depends_on: text(row.depends_on_task_id),
      kind: 'blocks',
      created_at: parseForeignTime(row.created_at) ?? UNKNOWN_TIME,
    });
  for (const row of tables.events) rows.events.push(convertEvent(row));
  const agents = new Map(rows.events.map(({ id, agent_name }) => [id, agent_name]));
  for (const row of tables.memories) convertMemory(row, rows, { tasks, agents, at });
  for (const row of tables.artifacts)
    rows.artifacts.push({
      id: text(row.id),
      task_id: text(row.task_id),
      event_id: Number(row.event_id),
      file_path: text(row.file_path),
      content_type: text(row.content_type),
      size_bytes: null,
      blake3: null,
      created_at: parseForeignTime(row.created_at) ?? UNKNOWN_TIME,
    });
  return rows;
}

function convertTask(row: Row, rows: ForeignRows): ForeignRows['tasks'][number] {
  const id = text(row.id);
  const known = TASK_STATUSES.find((status) => status === row.status);
  const createdAt = parseForeignTime(row.created_at) ?? UNKNOWN_TIME;
  return taskRow({
    id,
    title: text(row.title),
    description: text(row.description),
    status: statusOrPending(rows, id, { known, given: text(row.status) }),
    blockedReason: text(row.blocked_reason) || null,
    priority: Number(row.priority ?? 0),
    projectId: text(row.project_id) || null,
    version: Math.max(1, Number(row.version ?? 1)),
    createdAt,
    updatedAt: parseForeignTime(row.updated_at) ?? createdAt,
  });
}

function convertEvent(row: Row): ForeignRows['events'][number] {
  return eventRow({
    id: Number(row.id),
    kind: text(row.kind),
    agent: text(row.agent_name),
    projectId: text(row.project_id) || null,
    taskId: text(row.task_id) || null,
    message: text(row.message),
    metadata: parseMetadata(row.metadata),
    createdAt: parseForeignTime(row.created_at) ?? UNKNOWN_TIME,
    archivedAt: row.archived_at === null ? null : (parseForeignTime(row.archived_at) ?? null),
  });
}

interface MemoryContext {
  readonly tasks: ReadonlySet<string>;
  readonly agents: ReadonlyMap<number, string>;
  readonly at: string;
}

function convertMemory(row: Row, rows: ForeignRows, { tasks, agents, at }: MemoryContext): void {
  const scope = MEMORY_SCOPES.find((known) => known === row.scope);
  const scopeId = scope === 'global' ? '' : text(row.scope_id);
  const id = [text(row.scope), scopeId, text(row.key)].filter((part) => part !== '').join('/');
  const skip = (reason: string): void => void rows.skipped.push({ resource: 'memory', id, reason });
  const expiresAt = row.pinned === 1 ? undefined : parseForeignTime(row.expires_at ?? '');
  if (scope === undefined) return skip(`the scope "${text(row.scope)}" is unknown`);
  if (scope !== 'global' && scopeId === '') return skip('it has no scope id');
  if (scope === 'task' && !tasks.has(scopeId)) return skip('its task does not exist');
  if (text(row.superseded_by) !== '') return skip('a newer memory replaced it');
  if (expiresAt !== undefined && expiresAt <= at) return skip('it has expired');
  const kind = MEMORY_KINDS.find((known) => known === row.kind) ?? 'fact';
  if (kind === 'directive')
    rows.adjusted.push({
      resource: 'memory',
      id,
      reason: 'the directive became a decision, because the source does not record whether a person wrote it',
    });
  const createdAt = parseForeignTime(row.created_at) ?? UNKNOWN_TIME;
  const eventId = Number(row.source_event_id ?? 0);
  rows.memories.push(
    memoryRow({
      id: Number(row.id),
      scope,
      scopeId,
      key: text(row.key),
      value: text(row.value),
      valueType: VALUE_TYPES.find((known) => known === row.value_type) ?? 'string',
      kind: kind === 'directive' ? 'decision' : kind,
      pinned: row.pinned === 1,
      source: agents.get(eventId) ?? UNKNOWN_SOURCE,
      eventId,
      createdAt,
      updatedAt: parseForeignTime(row.updated_at ?? row.last_seen_at ?? '') ?? createdAt,
      expiresAt: expiresAt ?? null,
    }),
  );
}

function parseMetadata(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'string' || value === '') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isPlainObject(parsed) ? parsed : { value: parsed };
  } catch {
    return { value };
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? `${value}` : '';
}
