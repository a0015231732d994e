import { define } from '../query.ts';

/** The queries of an import into a store that has data. */

/** When the status or the priority of a task was last changed. */
export const lastChanges = define<{ task_id: string }>('lastChanges')((db, value) =>
  db
    .selectFrom('events')
    .select((eb) => ['kind', eb.fn.max<string>('created_at').as('at')])
    .where('task_id', '=', value('task_id'))
    .where('kind', 'in', ['task_status', 'task_priority'])
    .groupBy('kind'),
);

/** When a task was last deleted. */
export const lastDeletion = define<{ task_id: string }>('lastDeletion')((db, value) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.max<string | null>('created_at').as('at'))
    .where('task_id', '=', value('task_id'))
    .where('kind', '=', 'task_deleted'),
);

/** The removed dependencies of a task. */
export const listRemovals = define<{ task_id: string }>('listRemovals')((db, value) =>
  db
    .selectFrom('events')
    .select(['metadata', 'created_at'])
    .where('task_id', '=', value('task_id'))
    .where('kind', '=', 'task_dependency_removed'),
);

/** The time of an event, or of the last one before it if it was deleted. */
export const eventTime = define<{ id: number }>('eventTime')((db, value) =>
  db.selectFrom('events').select('created_at').where('id', '<=', value('id')).orderBy('id', 'desc').limit(1),
);

export const insertEventRow = define<{
  kind: string;
  agent_name: string;
  project_id: string | null;
  task_id: string | null;
  message: string;
  metadata: string;
  created_at: string;
  archived_at: string | null;
}>('insertEventRow')((db, value) =>
  db
    .insertInto('events')
    .values({
      kind: value('kind'),
      agent_name: value('agent_name'),
      project_id: value('project_id'),
      task_id: value('task_id'),
      message: value('message'),
      metadata: value('metadata'),
      created_at: value('created_at'),
      archived_at: value('archived_at'),
    })
    .returning('id'),
);

/** Inserts a version of a memory; the version that replaced it is named later, when its id is known. */
export const insertMemoryRow = define<{
  scope: string;
  scope_id: string;
  key: string;
  value: string;
  value_type: string;
  kind: string;
  pinned: number;
  source_agent: string;
  event_id: number;
  created_at: string;
  updated_at: string;
  confirmed_at: string;
  expires_at: string | null;
  superseded_at: string | null;
}>('insertMemoryRow')((db, value) =>
  db
    .insertInto('memories')
    .values({
      scope: value('scope'),
      scope_id: value('scope_id'),
      key: value('key'),
      value: value('value'),
      value_type: value('value_type'),
      kind: value('kind'),
      pinned: value('pinned'),
      source_agent: value('source_agent'),
      event_id: value('event_id'),
      created_at: value('created_at'),
      updated_at: value('updated_at'),
      confirmed_at: value('confirmed_at'),
      expires_at: value('expires_at'),
      superseded_at: value('superseded_at'),
      superseded_by: null,
    })
    .returning('id'),
);

export const updateMemoryRow = define<{
  id: number;
  created_at: string;
  confirmed_at: string;
  expires_at: string | null;
  superseded_at: string | null;
  superseded_by: number | null;
}>('updateMemoryRow')((db, value) =>
  db
    .updateTable('memories')
    .set({
      created_at: value('created_at'),
      confirmed_at: value('confirmed_at'),
      expires_at: value('expires_at'),
      superseded_at: value('superseded_at'),
      superseded_by: value('superseded_by'),
    })
    .where('id', '=', value('id')),
);

export const replaceTask = define<{
  id: string;
  title: string;
  description: string;
  status: string;
  priority: number;
  project_id: string | null;
  blocked_reason: string | null;
  version: number;
  claimed_by: string | null;
  claimed_at: string | null;
  claim_expires_at: string | null;
  claim_lease_ms: number | null;
  claim_session: string | null;
  claim_number: number;
  attempts: number;
  retry_at: string | null;
  created_at: string;
  updated_at: string;
}>('replaceTask')((db, value) =>
  db
    .updateTable('tasks')
    .set({
      title: value('title'),
      description: value('description'),
      status: value('status'),
      priority: value('priority'),
      project_id: value('project_id'),
      blocked_reason: value('blocked_reason'),
      version: value('version'),
      claimed_by: value('claimed_by'),
      claimed_at: value('claimed_at'),
      claim_expires_at: value('claim_expires_at'),
      claim_lease_ms: value('claim_lease_ms'),
      claim_session: value('claim_session'),
      claim_number: value('claim_number'),
      attempts: value('attempts'),
      retry_at: value('retry_at'),
      created_at: value('created_at'),
      updated_at: value('updated_at'),
    })
    .where('id', '=', value('id')),
);

/** Counts the open blockers of all tasks again. */
const recountBlockers = define('recountBlockers')((db) =>
  db.updateTable('tasks').set((eb) => ({
    open_dependencies: eb
      .selectFrom('dependencies')
      .innerJoin('tasks as blockers', 'blockers.id', 'dependencies.depends_on')
      .whereRef('dependencies.task_id', '=', 'tasks.id')
      .where('dependencies.kind', '=', 'blocks')
      .where('blockers.status', '!=', 'completed')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .$asScalar() as never,
  })),
);

const blockWaiting = define('blockWaiting')((db) =>
  db
    .updateTable('tasks')
    .set({ status: 'blocked', blocked_reason: 'dependency' })
    .where('status', '=', 'pending')
    .where('open_dependencies', '>', 0),
);

const unblockReady = define('unblockReady')((db) =>
  db
    .updateTable('tasks')
    .set({ status: 'pending', blocked_reason: null })
    .where('status', '=', 'blocked')
    .where('blocked_reason', '=', 'dependency')
    .where('open_dependencies', '=', 0),
);

const clearCounts = define('clearCounts')((db) => db.deleteFrom('task_counts'));

const fillCounts = define('fillCounts')((db) =>
  db
    .insertInto('task_counts')
    .columns(['project_id', 'status', 'total'])
    .expression((eb) =>
      eb
        .selectFrom('tasks')
        .select((inner) => [
          inner.fn.coalesce('project_id', inner.val('')).as('project_id'),
          'status',
          inner.fn.countAll<number>().as('total'),
        ])
        .groupBy(['tasks.project_id', 'status']),
    ),
);

/** Computes what depends on several rows, in this order: blockers, the status of waiting tasks, counts. */
export const RECOMPUTE = [recountBlockers, blockWaiting, unblockReady, clearCounts, fillCounts] as const;
