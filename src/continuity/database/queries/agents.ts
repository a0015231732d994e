import { define } from '../query.ts';

export const findAgentState = define<{ agent: string; project_id: string }>('findAgentState')((db, value) =>
  db
    .selectFrom('agent_states')
    .selectAll()
    .where('agent_name', '=', value('agent'))
    .where('project_id', '=', value('project_id')),
);

export const listAgentStates = define<{ agent: string }>('listAgentStates')((db, value) =>
  db.selectFrom('agent_states').selectAll().where('agent_name', '=', value('agent')).orderBy('project_id'),
);

/** Saves the focus of an agent and advances its cursor; the cursor never moves back. */
export const saveAgentState = define<{
  agent: string;
  project_id: string;
  cursor: number;
  focus_task_id: string | null;
  at: string;
}>('saveAgentState')((db, value) =>
  db
    .insertInto('agent_states')
    .values({
      agent_name: value('agent'),
      project_id: value('project_id'),
      cursor: value('cursor'),
      focus_task_id: value('focus_task_id'),
      updated_at: value('at'),
    })
    .onConflict((conflict) =>
      conflict.columns(['agent_name', 'project_id']).doUpdateSet((eb) => ({
        cursor: eb
          .case()
          .when(eb.ref('excluded.cursor'), '>', eb.ref('agent_states.cursor'))
          .then(eb.ref('excluded.cursor'))
          .else(eb.ref('agent_states.cursor'))
          .end(),
        focus_task_id: eb.ref('excluded.focus_task_id'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    ),
);

export const forgetFocus = define<{ task_id: string }>('forgetFocus')((db, value) =>
  db.updateTable('agent_states').set({ focus_task_id: null }).where('focus_task_id', '=', value('task_id')),
);

export const listFocus = define<{ limit: number }>('listFocus')((db, value) =>
  db
    .selectFrom('agent_states')
    .innerJoin('tasks', 'tasks.id', 'agent_states.focus_task_id')
    .select(['agent_name', 'focus_task_id', 'status', 'agent_states.updated_at'])
    .orderBy('agent_states.updated_at')
    .limit(value('limit')),
);
