import { CLAIMS_MIGRATION } from './migration-claims.ts';
import { MESSAGES_MIGRATION } from './migration-messages.ts';
import { RETENTION_MIGRATION } from './migration-retention.ts';
import { MEMORY_MIGRATION } from './migration-memory.ts';
import { PROJECT_KINDS_MIGRATION } from './migration-project-kinds.ts';

const TASK_TABLES: readonly string[] = [
  `CREATE TABLE tasks (
      id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      description TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'blocked')),
      priority INTEGER NOT NULL,
      project_id TEXT,
      blocked_reason TEXT,
      open_dependencies INTEGER NOT NULL DEFAULT 0 CHECK (open_dependencies >= 0),
      version INTEGER NOT NULL,
      claimed_by TEXT,
      claimed_at TEXT,
      claim_expires_at TEXT,
      claim_lease_ms INTEGER,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT`,
  'CREATE INDEX tasks_queue ON tasks (status, open_dependencies, priority DESC, created_at, id)',
  'CREATE INDEX tasks_project_queue ON tasks (project_id, status, open_dependencies, priority DESC, created_at, id)',
  'CREATE INDEX tasks_order ON tasks (priority DESC, created_at, id)',
  "CREATE INDEX tasks_claims ON tasks (claim_expires_at) WHERE status = 'in_progress'",
  `CREATE TABLE task_counts (
      project_id TEXT NOT NULL,
      status TEXT NOT NULL,
      total INTEGER NOT NULL,
      PRIMARY KEY (project_id, status)
    ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE dependencies (
      task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      depends_on TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('blocks', 'related', 'discovered-from')),
      created_at TEXT NOT NULL,
      PRIMARY KEY (task_id, depends_on)
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX dependencies_reverse ON dependencies (depends_on, kind)',
];

const EVENT_AND_MEMORY_TABLES: readonly string[] = [
  // The newest row is never deleted, so ids are never reused and AUTOINCREMENT is not needed.
  `CREATE TABLE events (
      id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      agent_name TEXT NOT NULL,
      project_id TEXT,
      task_id TEXT,
      message TEXT NOT NULL,
      metadata TEXT NOT NULL,
      created_at TEXT NOT NULL,
      archived_at TEXT
    ) STRICT`,
  'CREATE INDEX events_agent ON events (agent_name, id)',
  'CREATE INDEX events_task ON events (task_id, id) WHERE task_id IS NOT NULL',
  "CREATE INDEX events_loops ON events (id) WHERE kind = 'loop_finished'",
  'CREATE INDEX events_archived ON events (id) WHERE archived_at IS NOT NULL',
  'CREATE INDEX events_project ON events (project_id, id)',
  `CREATE TABLE memories (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      scope TEXT NOT NULL CHECK (scope IN ('global', 'project', 'task', 'agent')),
      scope_id TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      value_type TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('fact', 'directive', 'lesson')),
      pinned INTEGER NOT NULL,
      source_agent TEXT NOT NULL,
      event_id INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      expires_at TEXT,
      superseded_at TEXT
    ) STRICT`,
  'CREATE UNIQUE INDEX memories_current ON memories (scope, scope_id, key) WHERE superseded_at IS NULL',
  'CREATE INDEX memories_history ON memories (scope, scope_id, key, id)',
  `CREATE INDEX memories_order ON memories (scope, scope_id, pinned DESC, updated_at DESC, id DESC)
      WHERE superseded_at IS NULL`,
  'CREATE INDEX memories_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL AND superseded_at IS NULL',
  "CREATE VIRTUAL TABLE memory_search USING fts5 (key, value, tokenize = 'unicode61 remove_diacritics 2')",
];

const AGENT_TABLES: readonly string[] = [
  `CREATE TABLE artifacts (
      id TEXT PRIMARY KEY,
      task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      event_id INTEGER NOT NULL,
      file_path TEXT NOT NULL,
      content_type TEXT NOT NULL,
      size_bytes INTEGER,
      blake3 TEXT,
      created_at TEXT NOT NULL
    ) STRICT`,
  'CREATE INDEX artifacts_task ON artifacts (task_id, event_id, id)',
  `CREATE TABLE agent_states (
      agent_name TEXT NOT NULL,
      project_id TEXT NOT NULL,
      cursor INTEGER NOT NULL,
      focus_task_id TEXT,
      updated_at TEXT NOT NULL,
      PRIMARY KEY (agent_name, project_id)
    ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE requests (
      agent_name TEXT NOT NULL,
      request_id TEXT NOT NULL,
      command TEXT NOT NULL,
      payload TEXT NOT NULL,
      result TEXT NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (agent_name, request_id)
    ) STRICT, WITHOUT ROWID`,
  // Hooks delete old answers at the end of each session; without this index they would scan the whole table.
  'CREATE INDEX requests_age ON requests (created_at)',
];

/** Each step migrates the schema by one version; released steps are never changed. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [...TASK_TABLES, ...EVENT_AND_MEMORY_TABLES, ...AGENT_TABLES],
  MEMORY_MIGRATION,
  CLAIMS_MIGRATION,
  RETENTION_MIGRATION,
  MESSAGES_MIGRATION,
  PROJECT_KINDS_MIGRATION,
];

/** The version of the schema that this program writes. */
export const STORE_SCHEMA_VERSION = MIGRATIONS.length;

/** Marks the file as a store of this program: "deed" in ASCII. */
export const APPLICATION_ID = 0x64656564;
