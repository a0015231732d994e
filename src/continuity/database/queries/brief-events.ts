import { define, defineShapes } from '../query.ts';

/** Kinds that are not listed among the reports of a brief: they have their own section, or are not shown. The list is part of two indexes: a change requires a migration. */
export const UNREPORTED_KINDS = [
  'agent_focus',
  'agent_message',
  'artifact_added',
  'checkpoint',
  'memory_deleted',
  'memory_gc',
  'memory_set',
  'run_ended',
  'session_end',
  'tool_failure',
  'tool_success',
  'user_prompt',
] as const;

/** What hosts record about their sessions. */
export type HostEventKind = 'user_prompt' | 'agent_message' | 'tool_failure' | 'tool_success';

/** The newest events of one kind, of a project or of all. */
const newestOfKind = (kind: HostEventKind | 'task_closed') =>
  defineShapes<'project', { project_id: string; limit: number }>(`newest ${kind}`)(
    (db, value, has, { literal }) => {
      let query = db.selectFrom('events').selectAll().where('kind', '=', literal(kind));
      if (has('project')) query = query.where('project_id', '=', value('project_id'));
      return query.orderBy('id', 'desc').limit(value('limit'));
    },
  );

export const newestPrompts = newestOfKind('user_prompt');
export const newestMessages = newestOfKind('agent_message');
export const newestFailures = newestOfKind('tool_failure');
export const newestTools = newestOfKind('tool_success');
export const newestClosings = newestOfKind('task_closed');

/** The newest events that report something, of a task, a project or the whole log. */
export const newestReports = defineShapes<
  'task' | 'project',
  { task_id: string; project_id: string; limit: number }
>('newestReports')((db, value, has, { literal }) => {
  let query = db.selectFrom('events').selectAll().where('kind', 'not in', UNREPORTED_KINDS.map(literal));
  if (has('task')) query = query.where('task_id', '=', value('task_id'));
  if (has('project')) query = query.where('project_id', '=', value('project_id'));
  return query.orderBy('id', 'desc').limit(value('limit'));
});

/** The newest finished runs; only the newest events are searched, so that the cost does not grow with the log. */
export const recentRuns = defineShapes<'project', { project_id: string; among: number; limit: number }>(
  'recentRuns',
)((db, value, has, { literal }) => {
  let newest = db.selectFrom('events').selectAll();
  if (has('project')) newest = newest.where('project_id', '=', value('project_id'));
  return db
    .selectFrom(newest.orderBy('id', 'desc').limit(value('among')).as('newest'))
    .selectAll()
    .where('kind', '=', literal('run_ended'))
    .orderBy('id', 'desc')
    .limit(value('limit'));
});

/** Assignments of tasks after a position in the log. */
export const listAssignments = define<{ since: number; limit: number }>('listAssignments')(
  (db, value, { literal }) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('kind', '=', literal('task_assigned'))
      .where('id', '>', value('since'))
      .orderBy('id')
      .limit(value('limit')),
);
