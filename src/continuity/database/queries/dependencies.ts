import { define } from '../query.ts';

export const listDependencies = define<{ task_id: string }>('listDependencies')((db, value) =>
  db
    .selectFrom('dependencies')
    .select(['depends_on', 'kind'])
    .where('task_id', '=', value('task_id'))
    .orderBy('depends_on'),
);

/** The tasks that this one blocks. */
export const listDependents = define<{ task_id: string }>('listDependents')((db, value) =>
  db
    .selectFrom('dependencies')
    .innerJoin('tasks', 'tasks.id', 'dependencies.task_id')
    .selectAll('tasks')
    .where('depends_on', '=', value('task_id'))
    .where('kind', '=', 'blocks')
    .orderBy('tasks.id'),
);

/** The first tasks that this one blocks, for a brief. */
export const listSomeDependents = define<{ task_id: string; limit: number }>('listSomeDependents')(
  (db, value) =>
    db
      .selectFrom('dependencies')
      .innerJoin('tasks', 'tasks.id', 'dependencies.task_id')
      .selectAll('tasks')
      .where('depends_on', '=', value('task_id'))
      .where('kind', '=', 'blocks')
      .orderBy('dependencies.task_id')
      .limit(value('limit')),
);

/** The tasks that block this one and are not completed. */
export const listOpenBlockers = define<{ task_id: string; limit: number }>('listOpenBlockers')((db, value) =>
  db
    .selectFrom('dependencies')
    .innerJoin('tasks', 'tasks.id', 'dependencies.depends_on')
    .select(['tasks.id', 'tasks.title', 'tasks.status'])
    .where('dependencies.task_id', '=', value('task_id'))
    .where('kind', '=', 'blocks')
    .where('tasks.status', '!=', 'completed')
    .orderBy('tasks.id')
    .limit(value('limit')),
);

export const findDependency = define<{ task_id: string; depends_on: string }>('findDependency')((db, value) =>
  db
    .selectFrom('dependencies')
    .selectAll()
    .where('task_id', '=', value('task_id'))
    .where('depends_on', '=', value('depends_on')),
);

export const insertDependency = define<{ task_id: string; depends_on: string; kind: string; at: string }>(
  'insertDependency',
)((db, value) =>
  db.insertInto('dependencies').values({
    task_id: value('task_id'),
    depends_on: value('depends_on'),
    kind: value('kind'),
    created_at: value('at'),
  }),
);

export const deleteDependency = define<{ task_id: string; depends_on: string }>('deleteDependency')(
  (db, value) =>
    db
      .deleteFrom('dependencies')
      .where('task_id', '=', value('task_id'))
      .where('depends_on', '=', value('depends_on')),
);

/** Checks whether one task is blocked by another, directly or transitively. */
export const reaches = define<{ from: string; to: string }>('reaches')((db, value) =>
  db
    .withRecursive('reached', (cte) =>
      cte
        .selectFrom('dependencies')
        .select('depends_on as id')
        .where('task_id', '=', value('from'))
        .where('kind', '=', 'blocks')
        // UNION, not UNION ALL: each task is visited once, even if several paths lead to it.
        .union(
          cte
            .selectFrom('dependencies')
            .innerJoin('reached', 'reached.id', 'dependencies.task_id')
            .select('dependencies.depends_on as id')
            .where('kind', '=', 'blocks'),
        ),
    )
    .selectFrom('reached')
    .select('id')
    .where('id', '=', value('to'))
    .limit(1),
);
