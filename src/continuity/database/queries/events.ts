import { define, defineShapes, valuesOf } from '../query.ts';
import type { EventTable } from '../schema.ts';

/** What is written of an event; the database gives it its id. */
export const EVENT_COLUMNS = [
  'kind',
  'agent_name',
  'project_id',
  'task_id',
  'message',
  'metadata',
  'created_at',
  'archived_at',
] as const;

export const insertEvent = define<Pick<EventTable, (typeof EVENT_COLUMNS)[number]>>('insertEvent')(
  (db, value) => db.insertInto('events').values(valuesOf(value, EVENT_COLUMNS)).returning('id'),
);

export interface EventFilter {
  readonly agent: string;
  readonly task_id: string;
  readonly kind: string;
  /** Escaped for LIKE. */
  readonly match: string;
  readonly since: number;
  readonly before: number;
  readonly limit: number;
}

type EventPart = 'agent' | 'task' | 'kind' | 'match' | 'since' | 'before' | 'ascending' | 'archived';

/** The tasks that events mention, by a range of ids. */
export const listTaskIdsOfEvents = define<{ from: string; to: string; limit: number }>('listTaskIdsOfEvents')(
  (db, value) =>
    db
      .selectFrom('events')
      .select('task_id')
      .distinct()
      .where('task_id', '>=', value('from'))
      .where('task_id', '<', value('to'))
      .orderBy('task_id')
      .limit(value('limit')),
);

export const listEvents = defineShapes<EventPart, Partial<EventFilter> & { limit: number }>('listEvents')((
  db,
  value,
  has,
  { contains },
) => {
  let query = db.selectFrom('events').selectAll();
  if (has('agent')) query = query.where('agent_name', '=', value('agent') as string);
  if (has('task')) query = query.where('task_id', '=', value('task_id') as string);
  if (has('kind')) query = query.where('kind', '=', value('kind') as string);
  if (has('match')) query = query.where((eb) => contains(eb.ref('message'), value('match') as string));
  if (has('since')) query = query.where('id', '>', value('since') as number);
  if (has('before')) query = query.where('id', '<', value('before') as number);
  if (!has('archived')) query = query.where('archived_at', 'is', null);
  return query.orderBy('id', has('ascending') ? 'asc' : 'desc').limit(value('limit'));
});

/** Events after a position in the log: of one project, of no project, or of all. */
export const listDeltas = defineShapes<
  'project' | 'unassigned',
  { since: number; project_id: string; limit: number }
>('listDeltas')((db, value, has) => {
  let query = db.selectFrom('events').selectAll().where('id', '>', value('since'));
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  if (has('unassigned')) query = query.where('project_id', 'is', null);
  return query.orderBy('id').limit(value('limit'));
});

/** The newest events after a position in the log: of one project, of no project, or of all. */
export const newestDeltas = defineShapes<
  'project' | 'unassigned',
  { since: number; project_id: string; limit: number }
>('newestDeltas')((db, value, has) => {
  let query = db.selectFrom('events').selectAll().where('id', '>', value('since'));
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  if (has('unassigned')) query = query.where('project_id', 'is', null);
  return query.orderBy('id', 'desc').limit(value('limit'));
});

/** The number of events after a position in the log, and the first and last of them. */
export const countDeltas = defineShapes<'project' | 'unassigned', { since: number; project_id: string }>(
  'countDeltas',
)((db, value, has) => {
  let query = db
    .selectFrom('events')
    .select((eb) => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.min<number | null>('id').as('first'),
      eb.fn.max<number | null>('id').as('last'),
    ])
    .where('id', '>', value('since'));
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  if (has('unassigned')) query = query.where('project_id', 'is', null);
  return query;
});

export const countEvents = define('countEvents')((db) =>
  db.selectFrom('events').select((eb) => eb.fn.countAll<number>().as('total')),
);

/** The newest archived event; ids are in order of time, so all events before it are archived too. */
export const lastArchived = define('lastArchived')((db) =>
  db.selectFrom('events').select('id').where('archived_at', 'is not', null).orderBy('id', 'desc').limit(1),
);

/** Archives old events, starting after the last archived one; their content is kept. */
export const archiveEvents = define<{ after: number; before: string; at: string; limit: number }>(
  'archiveEvents',
)((db, value) =>
  db
    .updateTable('events')
    .set({ archived_at: value('at') })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('events')
        .select('id')
        .where('id', '>', value('after'))
        .orderBy('id')
        .limit(value('limit')),
    )
    .where('created_at', '<', value('before')),
);

export const listLoopRuns = defineShapes<'project', { project_id: string; limit: number }>('listLoopRuns')((
  db,
  value,
  has,
  { literal },
) => {
  let query = db.selectFrom('events').selectAll().where('kind', '=', literal('loop_finished'));
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  return query.orderBy('id', 'desc').limit(value('limit'));
});

/** The times of the newest events, newest first. */
export const listEventTimes = define<{ limit: number }>('listEventTimes')((db, value) =>
  db.selectFrom('events').select('created_at').orderBy('id', 'desc').limit(value('limit')),
);
