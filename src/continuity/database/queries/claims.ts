import { define, defineShapes } from '../query.ts';

export const findLostClaim = define<{ task_id: string; agent: string; session: string; since: string }>(
  'findLostClaim',
)((db, value) =>
  db
    .selectFrom('lost_claims')
    .select(['number', 'taken_by', 'lost_at'])
    .where('task_id', '=', value('task_id'))
    .where('agent_name', '=', value('agent'))
    .where('session', '=', value('session'))
    .where('lost_at', '>', value('since')),
);

export const saveLostClaim = define<{
  task_id: string;
  agent: string;
  session: string;
  number: number;
  taken_by: string;
  at: string;
}>('saveLostClaim')((db, value) =>
  db
    .insertInto('lost_claims')
    .values({
      task_id: value('task_id'),
      agent_name: value('agent'),
      session: value('session'),
      number: value('number'),
      taken_by: value('taken_by'),
      lost_at: value('at'),
    })
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'agent_name', 'session']).doUpdateSet((eb) => ({
        number: eb.ref('excluded.number'),
        taken_by: eb.ref('excluded.taken_by'),
        lost_at: eb.ref('excluded.lost_at'),
      })),
    ),
);

export const deleteLostClaim = define<{ task_id: string; agent: string; session: string }>('deleteLostClaim')(
  (db, value) =>
    db
      .deleteFrom('lost_claims')
      .where('task_id', '=', value('task_id'))
      .where('agent_name', '=', value('agent'))
      .where('session', '=', value('session')),
);

/** Deletes the lost claims of a task that are too old to matter. */
export const deleteOldLostClaims = define<{ task_id: string; before: string }>('deleteOldLostClaims')(
  (db, value) =>
    db
      .deleteFrom('lost_claims')
      .where('task_id', '=', value('task_id'))
      .where('lost_at', '<=', value('before')),
);

/** The tasks that a session has claimed. */
export const listSessionClaims = define<{ agent: string; session: string }>('listSessionClaims')(
  (db, value, { literal }) =>
    db
      .selectFrom('tasks')
      .selectAll()
      .where('status', '=', literal('in_progress'))
      .where('claimed_by', '=', value('agent'))
      .where('claim_session', '=', value('session'))
      .orderBy('id'),
);

/** The first time at which a task can be tried again. */
export const firstRetry = defineShapes<'project', { at: string; project_id: string }>('firstRetry')((
  db,
  value,
  has,
) => {
  let query = db
    .selectFrom('tasks')
    .select('retry_at')
    .where('status', '=', 'pending')
    .where('open_dependencies', '=', 0)
    .where('retry_at', '>', value('at'));
  if (has('project'))
    query = query.where((eb) =>
      eb.or([eb('project_id', '=', value('project_id')), eb('project_id', 'is', null)]),
    );
  return query.orderBy('retry_at').limit(1);
});

/** Leaves the claims of a session to its agent name. */
export const endSession = define<{ session: string }>('endSession')((db, value) =>
  db.updateTable('tasks').set({ claim_session: null }).where('claim_session', '=', value('session')),
);
