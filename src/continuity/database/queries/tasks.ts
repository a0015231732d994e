import { define, defineShapes, valuesOf } from '../query.ts';
import type { TaskTable } from '../schema.ts';
import { NEVER_CLAIMED, PROGRESS_COLUMNS } from '../task-columns.ts';

export const findTask = define<{ id: string }>('findTask')((db, value) =>
  db.selectFrom('tasks').selectAll().where('id', '=', value('id')),
);

/** The tasks whose id is the given one, or in a range. */
export const listTaskIds = define<{ given: string; from: string; to: string; limit: number }>('listTaskIds')(
  (db, value) =>
    db
      .selectFrom('tasks')
      .select(['id', 'title'])
      .where((eb) =>
        eb.or([
          eb('id', '=', value('given')),
          eb.and([eb('id', '>=', value('from')), eb('id', '<', value('to'))]),
        ]),
      )
      .orderBy('id')
      .limit(value('limit')),
);

type NewTask = Pick<TaskTable, 'id' | 'title' | 'description' | 'priority' | 'project_id'>;

export const insertTask = define<NewTask & { at: string }>('insertTask')((db, value) =>
  db.insertInto('tasks').values({
    id: value('id'),
    title: value('title'),
    description: value('description'),
    status: 'pending',
    priority: value('priority'),
    project_id: value('project_id'),
    blocked_reason: null,
    open_dependencies: 0,
    version: 1,
    ...NEVER_CLAIMED,
    created_at: value('at'),
    updated_at: value('at'),
  }),
);

type ProgressColumn = (typeof PROGRESS_COLUMNS)[number];

/** Updates a task if its version is unchanged since it was read; otherwise changes no row. */
export const updateTask = define<
  Pick<TaskTable, 'id' | 'title' | 'description' | 'version' | 'open_dependencies' | ProgressColumn> & {
    at: string;
  }
>('updateTask')((db, value) =>
  db
    .updateTable('tasks')
    .set((eb) => ({
      ...valuesOf(value, PROGRESS_COLUMNS),
      title: value('title'),
      description: value('description'),
      open_dependencies: value('open_dependencies'),
      updated_at: value('at'),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', value('id'))
    .where('version', '=', value('version')),
);

/** Extends an active claim; an expired claim, or a later one, is not changed. */
export const extendClaim = define<{ id: string; number: number; at: string; expires_at: string }>(
  'extendClaim',
)((db, value) =>
  db
    .updateTable('tasks')
    .set({ claim_expires_at: value('expires_at') })
    .where('id', '=', value('id'))
    .where('claim_number', '=', value('number'))
    .where('claim_expires_at', '>', value('at'))
    .where('claim_expires_at', '<', value('expires_at')),
);

export const deleteTask = define<{ id: string }>('deleteTask')((db, value) =>
  db.deleteFrom('tasks').where('id', '=', value('id')),
);

export interface TaskPage {
  readonly status?: string;
  readonly project_id?: string;
  readonly priority?: number;
  readonly after_priority?: number;
  readonly after_created_at?: string;
  readonly after_id?: string;
  readonly limit: number;
  /** The current time; tasks that wait for a retry are not ready. */
  readonly at?: string;
}

/** Tasks by priority, then age, then id; a page starts after the last row of the previous page. */
export const listTasks = defineShapes<
  'status' | 'project' | 'unassigned' | 'priority' | 'ready' | 'after',
  Required<TaskPage>
>('listTasks')((db, value, has) => {
  let query = db.selectFrom('tasks').selectAll();
  if (has('status')) query = query.where('status', '=', value('status'));
  if (has('ready')) {
    query = query
      .where('status', '=', 'pending')
      .where('open_dependencies', '=', 0)
      .where((eb) => eb.or([eb('retry_at', 'is', null), eb('retry_at', '<=', value('at'))]));
  }
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  if (has('unassigned')) query = query.where('project_id', 'is', null);
  if (has('priority')) query = query.where('priority', '=', value('priority'));
  if (has('after')) {
    query = query.where((eb) =>
      eb.or([
        eb('priority', '<', value('after_priority')),
        eb.and([
          eb('priority', '=', value('after_priority')),
          eb.or([
            eb('created_at', '>', value('after_created_at')),
            eb.and([eb('created_at', '=', value('after_created_at')), eb('id', '>', value('after_id'))]),
          ]),
        ]),
      ]),
    );
  }
  return query.orderBy('priority', 'desc').orderBy('created_at').orderBy('id').limit(value('limit'));
});

/** Tasks in progress whose claim has expired, and that no other task blocks. */
export const listAbandoned = defineShapes<
  'project' | 'unassigned',
  { at: string; project_id: string; limit: number }
>('listAbandoned')((db, value, has, { literal }) => {
  let query = db
    .selectFrom('tasks')
    .selectAll()
    .where('status', '=', literal('in_progress'))
    .where('claim_expires_at', '<=', value('at'))
    .where('open_dependencies', '=', 0);
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  if (has('unassigned')) query = query.where('project_id', 'is', null);
  return query.orderBy('claim_expires_at').orderBy('id').limit(value('limit'));
});

/** Tasks with an active claim. */
export const listClaimed = defineShapes<'project', { at: string; project_id: string; limit: number }>(
  'listClaimed',
)((db, value, has, { literal }) => {
  let query = db
    .selectFrom('tasks')
    .selectAll()
    .where('status', '=', literal('in_progress'))
    .where('claim_expires_at', '>', value('at'));
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  return query.orderBy('claim_expires_at', 'desc').orderBy('id').limit(value('limit'));
});

export const countTasks = defineShapes<'project', { project_id: string }>('countTasks')((db, value, has) => {
  let query = db
    .selectFrom('task_counts')
    .select((eb) => ['status', eb.fn.sum<number>('total').as('total')])
    .groupBy('status');
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  return query;
});

export const adjustCount = define<{ project_id: string; status: string; by: number }>('adjustCount')(
  (db, value) =>
    db
      .insertInto('task_counts')
      .values({ project_id: value('project_id'), status: value('status'), total: value('by') })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'status'])
          .doUpdateSet((eb) => ({ total: eb('task_counts.total', '+', eb.ref('excluded.total')) })),
      ),
);

export const listClaims = define<{ limit: number }>('listClaims')((db, value, { literal }) =>
  db
    .selectFrom('tasks')
    .select(['id', 'claimed_by', 'claim_expires_at', 'updated_at'])
    .where('status', '=', literal('in_progress'))
    .orderBy('claim_expires_at')
    .limit(value('limit')),
);

/** Claims that end after a time. */
export const listLongLeases = define<{ limit: string }>('listLongLeases')((db, value, { literal }) =>
  db
    .selectFrom('tasks')
    .select(['id', 'claim_lease_ms'])
    .where('status', '=', literal('in_progress'))
    .where('claim_expires_at', '>', value('limit')),
);

export const clampLease = define<{ id: string; expires_at: string }>('clampLease')((db, value) =>
  db
    .updateTable('tasks')
    .set({ claim_expires_at: value('expires_at') })
    .where('id', '=', value('id')),
);
