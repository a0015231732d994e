import { UNREPORTED_KINDS } from '../queries/brief-events.ts';
import { ORDER_FUNCTIONS } from './event-order.ts';
import { SEARCH_TABLES } from './postgres-full-text.ts';

/** Text sorts by its bytes, as in SQLite, so that times, ids and pages have the same order in both databases. */
const TEXT = 'text COLLATE "C"';
const UNREPORTED = UNREPORTED_KINDS.map((kind) => `'${kind}'`).join(', ');

const TASK_TABLES: readonly string[] = [
  `CREATE TABLE tasks (
      id ${TEXT} PRIMARY KEY,
      title ${TEXT} NOT NULL,
      description ${TEXT} NOT NULL,
      status ${TEXT} NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'blocked')),
      priority bigint NOT NULL,
      project_id ${TEXT},
      blocked_reason ${TEXT},
      open_dependencies bigint NOT NULL DEFAULT 0 CHECK (open_dependencies >= 0),
      version bigint NOT NULL,
      claimed_by ${TEXT},
      claimed_at ${TEXT},
      claim_expires_at ${TEXT},
      claim_lease_ms bigint,
      claim_session ${TEXT},
      claim_number bigint NOT NULL DEFAULT 0,
      attempts bigint NOT NULL DEFAULT 0,
      retry_at ${TEXT},
      created_at ${TEXT} NOT NULL,
      updated_at ${TEXT} NOT NULL
    )`,
  'CREATE INDEX tasks_queue ON tasks (status, open_dependencies, priority DESC, created_at, id)',
  'CREATE INDEX tasks_project_queue ON tasks (project_id, status, open_dependencies, priority DESC, created_at, id)',
  'CREATE INDEX tasks_order ON tasks (priority DESC, created_at, id)',
  "CREATE INDEX tasks_claims ON tasks (claim_expires_at) WHERE status = 'in_progress'",
  `CREATE TABLE lost_claims (
      task_id ${TEXT} NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      agent_name ${TEXT} NOT NULL,
      session ${TEXT} NOT NULL,
      number bigint NOT NULL,
      taken_by ${TEXT} NOT NULL,
      lost_at ${TEXT} NOT NULL,
      PRIMARY KEY (task_id, agent_name, session)
    )`,
  `CREATE TABLE task_counts (
      project_id ${TEXT} NOT NULL,
      status ${TEXT} NOT NULL,
      total bigint NOT NULL,
      PRIMARY KEY (project_id, status)
    )`,
  `CREATE TABLE dependencies (
      task_id ${TEXT} NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      depends_on ${TEXT} NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      kind ${TEXT} NOT NULL CHECK (kind IN ('blocks', 'related', 'discovered-from')),
      created_at ${TEXT} NOT NULL,
      PRIMARY KEY (task_id, depends_on)
    )`,
  'CREATE INDEX dependencies_reverse ON dependencies (depends_on, kind)',
];

const EVENT_TABLES: readonly string[] = [
  'CREATE SEQUENCE event_ids',
  `CREATE TABLE event_log (
      id bigint PRIMARY KEY DEFAULT nextval('event_ids'),
      kind ${TEXT} NOT NULL,
      agent_name ${TEXT} NOT NULL,
      project_id ${TEXT},
      task_id ${TEXT},
      message ${TEXT} NOT NULL,
      metadata ${TEXT} NOT NULL,
      created_at ${TEXT} NOT NULL,
      archived_at ${TEXT}
    )`,
  'CREATE INDEX events_agent ON event_log (agent_name, id)',
  'CREATE INDEX events_task ON event_log (task_id, id) WHERE task_id IS NOT NULL',
  'CREATE INDEX events_kind ON event_log (kind, id)',
  'CREATE INDEX events_archived ON event_log (id) WHERE archived_at IS NOT NULL',
  'CREATE INDEX events_project ON event_log (project_id, id)',
  "CREATE INDEX events_prompts ON event_log (project_id, id) WHERE kind = 'user_prompt'",
  "CREATE INDEX events_failures ON event_log (project_id, id) WHERE kind = 'tool_failure'",
  "CREATE INDEX events_tools ON event_log (project_id, id) WHERE kind = 'tool_success'",
  "CREATE INDEX events_messages ON event_log (project_id, id) WHERE kind = 'agent_message'",
  `CREATE INDEX events_reports ON event_log (project_id, id) WHERE kind NOT IN (${UNREPORTED})`,
  `CREATE INDEX events_task_reports ON event_log (task_id, id) WHERE task_id IS NOT NULL AND kind NOT IN (${UNREPORTED})`,
];

const MEMORY_TABLES: readonly string[] = [
  'CREATE SEQUENCE memory_ids',
  `CREATE TABLE memories (
      id bigint PRIMARY KEY DEFAULT nextval('memory_ids'),
      scope ${TEXT} NOT NULL CHECK (scope IN ('global', 'project', 'task', 'agent')),
      scope_id ${TEXT} NOT NULL,
      key ${TEXT} NOT NULL,
      value ${TEXT} NOT NULL,
      value_type ${TEXT} NOT NULL,
      kind ${TEXT} NOT NULL CHECK (kind IN ('fact', 'directive', 'lesson', 'decision')),
      pinned bigint NOT NULL,
      source_agent ${TEXT} NOT NULL,
      event_id bigint NOT NULL,
      created_at ${TEXT} NOT NULL,
      updated_at ${TEXT} NOT NULL,
      confirmed_at ${TEXT} NOT NULL,
      expires_at ${TEXT},
      superseded_at ${TEXT},
      superseded_by bigint
    )`,
  'CREATE UNIQUE INDEX memories_current ON memories (scope, scope_id, key) WHERE superseded_at IS NULL',
  'CREATE INDEX memories_history ON memories (scope, scope_id, key, id)',
  `CREATE INDEX memories_order ON memories (scope, scope_id, pinned DESC, updated_at DESC, id DESC)
      WHERE superseded_at IS NULL`,
  'CREATE INDEX memories_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL AND superseded_at IS NULL',
  "CREATE INDEX memories_directives ON memories (scope, scope_id) WHERE kind = 'directive' AND superseded_at IS NULL",
];

const AGENT_TABLES: readonly string[] = [
  `CREATE TABLE artifacts (
      id ${TEXT} PRIMARY KEY,
      task_id ${TEXT} NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      event_id bigint NOT NULL,
      file_path ${TEXT} NOT NULL,
      content_type ${TEXT} NOT NULL,
      size_bytes bigint,
      blake3 ${TEXT},
      created_at ${TEXT} NOT NULL
    )`,
  'CREATE INDEX artifacts_task ON artifacts (task_id, event_id, id)',
  `CREATE TABLE agent_states (
      agent_name ${TEXT} NOT NULL,
      project_id ${TEXT} NOT NULL,
      cursor bigint NOT NULL,
      focus_task_id ${TEXT},
      updated_at ${TEXT} NOT NULL,
      PRIMARY KEY (agent_name, project_id)
    )`,
  `CREATE TABLE requests (
      agent_name ${TEXT} NOT NULL,
      request_id ${TEXT} NOT NULL,
      command ${TEXT} NOT NULL,
      payload ${TEXT} NOT NULL,
      result ${TEXT} NOT NULL,
      created_at ${TEXT} NOT NULL,
      PRIMARY KEY (agent_name, request_id)
    )`,
  'CREATE INDEX requests_age ON requests (created_at)',
];

/** The first version of the schema that exists on Postgres; earlier ones only in SQLite. */
const FIRST_VERSION = 5;

/** Each step migrates the schema by one version; released steps are never changed. The same version has the same tables in SQLite. */
export const POSTGRES_MIGRATIONS: readonly (readonly string[])[] = [
  [
    'CREATE TABLE store_schema (version bigint NOT NULL)',
    ...TASK_TABLES,
    ...EVENT_TABLES,
    ...MEMORY_TABLES,
    ...AGENT_TABLES,
    ...SEARCH_TABLES,
    ...ORDER_FUNCTIONS,
  ],
  [
    'CREATE INDEX events_project_kind ON event_log (project_id, kind, id)',
    ...['prompts', 'failures', 'tools', 'messages'].map((kinds) => `DROP INDEX events_${kinds}`),
  ],
];

/** The version of the schema that this program writes. */
export const POSTGRES_SCHEMA_VERSION = FIRST_VERSION + POSTGRES_MIGRATIONS.length - 1;

/** The steps that a store of a version still needs; undefined means that there is no store yet. */
export function stepsFrom(version: number | undefined): readonly (readonly string[])[] {
  return version === undefined ? POSTGRES_MIGRATIONS : POSTGRES_MIGRATIONS.slice(version - FIRST_VERSION + 1);
}
