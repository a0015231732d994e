import { UNREPORTED_KINDS } from '../queries/brief-events.ts';

const UNREPORTED = UNREPORTED_KINDS.map((kind) => `'${kind}'`).join(', ');

/** Messages of agents are events with a separate index; the indexes of reports do not contain them. Directives are few among many memories. */
export const MESSAGES_MIGRATION: readonly string[] = [
  "CREATE INDEX events_messages ON events (project_id, id) WHERE kind = 'agent_message'",
  'DROP INDEX events_reports',
  'DROP INDEX events_task_reports',
  `CREATE INDEX events_reports ON events (project_id, id) WHERE kind NOT IN (${UNREPORTED})`,
  `CREATE INDEX events_task_reports ON events (task_id, id) WHERE task_id IS NOT NULL AND kind NOT IN (${UNREPORTED})`,
  "CREATE INDEX memories_directives ON memories (scope, scope_id) WHERE kind = 'directive' AND superseded_at IS NULL",
];
