import type { JsonObject } from '../../base/json.ts';
import type { QueryRunner } from '../database/database.ts';
import { countRows } from '../database/query.ts';
import { insertEvent, listEvents, type EventFilter } from '../database/queries/events.ts';
import { escapeLike } from '../database/queries/memories.ts';
import type { Scope } from '../scope.ts';

/** An entry of the event log, as returned to callers. */
export interface Event {
  readonly id: string;
  readonly kind: string;
  readonly agent_name: string;
  readonly project_id?: string;
  readonly task_id: string | null;
  readonly message: string;
  readonly metadata: JsonObject;
  readonly created_at: string;
  readonly archived_at?: string;
}

export interface EventRow {
  readonly id: number;
  readonly kind: string;
  readonly agent_name: string;
  readonly project_id: string | null;
  readonly task_id: string | null;
  readonly message: string;
  readonly metadata: string;
  readonly created_at: string;
  readonly archived_at: string | null;
}

export interface NewEvent {
  readonly kind: string;
  readonly message: string;
  readonly projectId?: string | null;
  readonly taskId?: string | null;
  readonly metadata?: JsonObject;
}

/** Appends an entry to the log and returns its id, as callers see it. Entries are never changed or deleted; old ones are archived. */
export async function appendEvent(scope: Scope, event: NewEvent): Promise<string> {
  const row = await scope.db.first(insertEvent, {
    kind: event.kind,
    agent_name: scope.agent,
    project_id: event.projectId ?? null,
    task_id: event.taskId ?? null,
    message: event.message,
    metadata: event.metadata === undefined ? '{}' : JSON.stringify(event.metadata),
    created_at: scope.at,
    archived_at: null,
  });
  if (row === undefined) throw new Error('the inserted event has no id');
  return String(row.id);
}

export function showEvent(row: EventRow): Event {
  return {
    id: String(row.id),
    kind: row.kind,
    agent_name: row.agent_name,
    ...(row.project_id !== null && { project_id: row.project_id }),
    task_id: row.task_id,
    message: row.message,
    metadata: JSON.parse(row.metadata) as JsonObject,
    created_at: row.created_at,
    ...(row.archived_at !== null && { archived_at: row.archived_at }),
  };
}

export interface EventQuery {
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly kind?: string | undefined;
  /** A text that the message contains. */
  readonly text?: string | undefined;
  readonly sinceId?: number | undefined;
  readonly beforeId?: number | undefined;
  readonly ascending: boolean;
  readonly includeArchived: boolean;
  readonly limit: number;
}

/** Reads events, newest first unless `ascending` is set. */
export async function readEvents(db: QueryRunner, query: EventQuery): Promise<Event[]> {
  const rows = await db.all(listEvents(...filtersOf(query), query.ascending && 'ascending'), valuesOf(query));
  return rows.map(showEvent);
}

/** Counts the events of all pages of a query. */
export async function countMatchingEvents(db: QueryRunner, query: EventQuery): Promise<number> {
  return (await db.first(countRows(listEvents(...filtersOf(query))), valuesOf(query)))?.total ?? 0;
}

function filtersOf(query: EventQuery) {
  return [
    query.agent !== undefined && 'agent',
    query.taskId !== undefined && 'task',
    query.kind !== undefined && 'kind',
    query.text !== undefined && 'match',
    query.sinceId !== undefined && 'since',
    query.beforeId !== undefined && 'before',
    query.includeArchived && 'archived',
  ] as const;
}

function valuesOf(query: EventQuery): Partial<EventFilter> & { limit: number } {
  return {
    ...(query.agent !== undefined && { agent: query.agent }),
    ...(query.taskId !== undefined && { task_id: query.taskId }),
    ...(query.kind !== undefined && { kind: query.kind }),
    ...(query.text !== undefined && { match: escapeLike(query.text) }),
    ...(query.sinceId !== undefined && { since: query.sinceId }),
    ...(query.beforeId !== undefined && { before: query.beforeId }),
    limit: query.limit,
  };
}
