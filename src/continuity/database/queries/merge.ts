import { define, valuesOf } from '../query.ts';
import type { MemoryTable, TaskTable } from '../schema.ts';
import { PROGRESS_COLUMNS } from '../task-columns.ts';

/** The queries of an import into a store that has data. */

/** When status, priority and text of a task were last changed. */
export const lastChanges = define<{ task_id: string }>('lastChanges')((db, value) =>
  db
    .selectFrom('events')
    .select((eb) => ['kind', eb.fn.max<string>('created_at').as('at')])
    .where('task_id', '=', value('task_id'))
    .where('kind', 'in', ['task_status', 'task_priority', 'task_edited'])
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

/** Current memories of tasks that were deleted, with the time of the deletion. A task without a deletion may only be missing in a partial export. */
export const listOrphans = define('listOrphans')((db) =>
  db
    .selectFrom('memories')
    .innerJoin('events', 'events.task_id', 'memories.scope_id')
    .leftJoin('tasks', 'tasks.id', 'memories.scope_id')
    .select((eb) => [
      'memories.id',
      'memories.updated_at',
      eb.fn.max<string>('events.created_at').as('deleted_at'),
    ])
    .where('memories.scope', '=', 'task')
    .where('memories.superseded_at', 'is', null)
    .where('tasks.id', 'is', null)
    .where('events.kind', '=', 'task_deleted')
    .groupBy(['memories.id', 'memories.updated_at']),
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

const CHANGED = ['created_at', 'confirmed_at', 'expires_at', 'superseded_at', 'superseded_by'] as const;

export const updateMemory = define<{ id: number } & Pick<MemoryTable, (typeof CHANGED)[number]>>(
  'updateMemory',
)((db, value) => db.updateTable('memories').set(valuesOf(value, CHANGED)).where('id', '=', value('id')));

const REPLACED = [
  'title',
  'description',
  'project_id',
  'version',
  ...PROGRESS_COLUMNS,
  'created_at',
  'updated_at',
] as const;

export const replaceTask = define<Omit<TaskTable, 'open_dependencies'>>('replaceTask')((db, value) =>
  db.updateTable('tasks').set(valuesOf(value, REPLACED)).where('id', '=', value('id')),
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
