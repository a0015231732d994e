/** The kinds without a report at the time of this step; a later step replaces the indexes. */
const UNREPORTED =
  "'agent_focus', 'artifact_added', 'checkpoint', 'memory_deleted', 'memory_gc', 'memory_set', 'run_ended', 'session_end', 'tool_failure', 'tool_success', 'user_prompt'";

/** SQLite cannot change a CHECK constraint, so the table is copied; the sequence keeps ids of deleted rows from being used again. */
const COPY_MEMORIES: readonly string[] = [
  `CREATE TABLE new_memories (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      scope TEXT NOT NULL CHECK (scope IN ('global', 'project', 'task', 'agent')),
      scope_id TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      value_type TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('fact', 'directive', 'lesson', 'decision')),
      pinned INTEGER NOT NULL,
      source_agent TEXT NOT NULL,
      event_id INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      confirmed_at TEXT NOT NULL,
      expires_at TEXT,
      superseded_at TEXT,
      superseded_by INTEGER
    ) STRICT`,
  `INSERT INTO new_memories
      SELECT id, scope, scope_id, key, value, value_type, kind, pinned, source_agent, event_id, created_at, updated_at, updated_at,
        expires_at, superseded_at,
        CASE WHEN superseded_at IS NULL THEN NULL ELSE (
          SELECT min(newer.id) FROM memories AS newer
          WHERE newer.scope = memories.scope AND newer.scope_id = memories.scope_id AND newer.key = memories.key
            AND newer.id > memories.id AND newer.updated_at = memories.superseded_at) END
      FROM memories`,
  `INSERT INTO sqlite_sequence (name, seq)
      SELECT 'new_memories', seq FROM sqlite_sequence AS old
      WHERE old.name = 'memories' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'new_memories')`,
  `UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'memories')
      WHERE name = 'new_memories' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'memories')`,
  'DROP TABLE memories',
  'ALTER TABLE new_memories RENAME TO memories',
  'CREATE UNIQUE INDEX memories_current ON memories (scope, scope_id, key) WHERE superseded_at IS NULL',
  'CREATE INDEX memories_keys ON memories (key) WHERE superseded_at IS NULL',
  'CREATE INDEX memories_history ON memories (scope, scope_id, key, id)',
  `CREATE INDEX memories_order ON memories (scope, scope_id, pinned DESC, updated_at DESC, id DESC)
      WHERE superseded_at IS NULL`,
  'CREATE INDEX memories_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL AND superseded_at IS NULL',
];

/** The index contains word stems; `memory_terms` counts the memories of each stem. */
const INDEX_STEMS: readonly string[] = [
  'DROP TABLE memory_search',
  "CREATE VIRTUAL TABLE memory_search USING fts5 (key, value, tokenize = 'porter unicode61 remove_diacritics 2')",
  'INSERT INTO memory_search (rowid, key, value) SELECT id, key, value FROM memories WHERE superseded_at IS NULL',
  'CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_search, row)',
];

/** A brief reads the newest events of these kinds, regardless of the number of others after them. */
const INDEX_EVENTS: readonly string[] = [
  "CREATE INDEX events_prompts ON events (project_id, id) WHERE kind = 'user_prompt'",
  "CREATE INDEX events_failures ON events (project_id, id) WHERE kind = 'tool_failure'",
  "CREATE INDEX events_tools ON events (project_id, id) WHERE kind = 'tool_success'",
  "CREATE INDEX events_assignments ON events (id) WHERE kind = 'task_assigned'",
  `CREATE INDEX events_reports ON events (project_id, id) WHERE kind NOT IN (${UNREPORTED})`,
  `CREATE INDEX events_task_reports ON events (task_id, id) WHERE task_id IS NOT NULL AND kind NOT IN (${UNREPORTED})`,
];

/** Kinds, confirmation and succession of memories, word stems in the search index, and indexes for briefs. */
export const MEMORY_MIGRATION: readonly string[] = [...COPY_MEMORIES, ...INDEX_STEMS, ...INDEX_EVENTS];
