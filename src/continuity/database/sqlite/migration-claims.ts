/**
 * Claims with a session and a number, the attempts of a loop, and the claims that were lost to another holder, by which their late writes
 * are rejected.
 */
export const CLAIMS_MIGRATION: readonly string[] = [
  'ALTER TABLE tasks ADD COLUMN claim_session TEXT',
  'ALTER TABLE tasks ADD COLUMN claim_number INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE tasks ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE tasks ADD COLUMN retry_at TEXT',
  'UPDATE tasks SET claim_number = 1 WHERE claimed_by IS NOT NULL',
  `CREATE TABLE lost_claims (
      task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
      agent_name TEXT NOT NULL,
      session TEXT NOT NULL,
      number INTEGER NOT NULL,
      taken_by TEXT NOT NULL,
      lost_at TEXT NOT NULL,
      PRIMARY KEY (task_id, agent_name, session)
    ) STRICT, WITHOUT ROWID`,
];
