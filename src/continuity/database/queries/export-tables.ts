import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { define, type Query, type Slot, type Values } from '../query.ts';

/** A table as written by an export: its columns in order, and the key that its rows are sorted by. */
export interface ExportTable {
  readonly name: keyof Tables;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** In insertion order: referenced tables come first. */
export const EXPORT_TABLES: readonly ExportTable[] = [
  {
    name: 'tasks',
    columns: [
      'id',
      'title',
      'description',
      'status',
      'priority',
      'project_id',
      'blocked_reason',
      'open_dependencies',
      'version',
      'claimed_by',
      'claimed_at',
      'claim_expires_at',
      'claim_lease_ms',
      'claim_session',
      'claim_number',
      'attempts',
      'retry_at',
      'created_at',
      'updated_at',
    ],
    key: ['id'],
  },
  {
    name: 'lost_claims',
    columns: ['task_id', 'agent_name', 'session', 'number', 'taken_by', 'lost_at'],
    key: ['task_id', 'agent_name', 'session'],
  },
  { name: 'task_counts', columns: ['project_id', 'status', 'total'], key: ['project_id', 'status'] },
  {
    name: 'dependencies',
    columns: ['task_id', 'depends_on', 'kind', 'created_at'],
    key: ['task_id', 'depends_on'],
  },
  {
    name: 'events',
    columns: [
      'id',
      'kind',
      'agent_name',
      'project_id',
      'task_id',
      'message',
      'metadata',
      'created_at',
      'archived_at',
    ],
    key: ['id'],
  },
  {
    name: 'memories',
    columns: [
      'id',
      'scope',
      'scope_id',
      'key',
      'value',
      'value_type',
      'kind',
      'pinned',
      'source_agent',
      'event_id',
      'created_at',
      'updated_at',
      'confirmed_at',
      'expires_at',
      'superseded_at',
      'superseded_by',
    ],
    key: ['id'],
  },
  {
    name: 'artifacts',
    columns: ['id', 'task_id', 'event_id', 'file_path', 'content_type', 'size_bytes', 'blake3', 'created_at'],
    key: ['id'],
  },
  {
    name: 'agent_states',
    columns: ['agent_name', 'project_id', 'cursor', 'focus_task_id', 'updated_at'],
    key: ['agent_name', 'project_id'],
  },
  {
    name: 'requests',
    columns: ['agent_name', 'request_id', 'command', 'payload', 'result', 'created_at'],
    key: ['agent_name', 'request_id'],
  },
];

/** Reads one page of a table in the order of its key: from its start, or after a row. */
export function readPage(table: ExportTable, from: PageStart = 'start'): Query<Values, Values> {
  return define(`export ${table.name} ${from}`)((db, value) => selectPage(db, table, value, from));
}

export type PageStart = 'start' | 'after';

export function selectPage(db: Kysely<Tables>, table: ExportTable, value: Slot<Values>, from: PageStart) {
  let query = db.selectFrom(table.name).select(table.columns as never[]);
  for (const column of table.key) query = query.orderBy(column as never);
  if (from === 'after')
    // One comparison of the whole key, so that the database starts at this place of its index.
    query = query.where((eb) =>
      eb(
        eb.refTuple(...keyOf(table)),
        '>',
        eb.tuple(...(keyOf(table).map(value) as [never, never])) as never,
      ),
    );
  return query.limit(value('limit') as number);
}

export function insertRow(table: ExportTable): Query<Values, unknown> {
  return define(`import ${table.name}`)((db, value) =>
    db
      .insertInto(table.name)
      .values(Object.fromEntries(table.columns.map((column) => [column, value(column)])) as never),
  );
}

/** The types of a tuple need two columns; a key of one column is compared as a tuple of one. */
function keyOf(table: ExportTable): [never, never] {
  return table.key as unknown as [never, never];
}
