import { define } from '../query.ts';

/** Deletes tasks of other projects; their dependencies and artifacts are deleted by cascade. */
export const deleteForeignTasks = define<{ project_id: string }>('deleteForeignTasks')((db, value) =>
  db.deleteFrom('tasks').where('project_id', 'is not', null).where('project_id', '!=', value('project_id')),
);

export const deleteForeignCounts = define<{ project_id: string }>('deleteForeignCounts')((db, value) =>
  db.deleteFrom('task_counts').where('project_id', '!=', '').where('project_id', '!=', value('project_id')),
);

export const deleteForeignEvents = define<{ project_id: string }>('deleteForeignEvents')((db, value) =>
  db.deleteFrom('events').where('project_id', 'is not', null).where('project_id', '!=', value('project_id')),
);

/** Deletes memories of other projects, deleted tasks and other agents; global memories stay. */
export const deleteForeignMemories = define<{ project_id: string; agent: string }>('deleteForeignMemories')(
  (db, value) =>
    db
      .deleteFrom('memories')
      .where((eb) =>
        eb.or([
          eb.and([eb('scope', '=', 'project'), eb('scope_id', '!=', value('project_id'))]),
          eb.and([eb('scope', '=', 'agent'), eb('scope_id', '!=', value('agent'))]),
          eb.and([
            eb('scope', '=', 'task'),
            eb('scope_id', 'not in', db.selectFrom('tasks').select('tasks.id')),
          ]),
        ]),
      ),
);

export const deleteAllRequests = define('deleteAllRequests')((db) => db.deleteFrom('requests'));

export const deleteAllAgentStates = define('deleteAllAgentStates')((db) => db.deleteFrom('agent_states'));
