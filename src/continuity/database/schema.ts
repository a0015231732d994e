import type { Generated } from 'kysely';

/**
 * The tables. Times are ISO 8601 UTC text of fixed width, so that they sort by time; booleans are 0 and 1; a missing project or
 * scope id in a key is the empty string, since NULLs are never equal.
 */
export interface Tables {
  tasks: TaskTable;
  lost_claims: LostClaimTable;
  task_counts: { project_id: string; status: string; total: number };
  dependencies: { task_id: string; depends_on: string; kind: string; created_at: string };
  events: EventTable;
  memories: MemoryTable;
  artifacts: ArtifactTable;
  agent_states: AgentStateTable;
  requests: RequestTable;
}

export interface TaskTable {
  id: string;
  title: string;
  description: string;
  status: string;
  priority: number;
  project_id: string | null;
  blocked_reason: string | null;
  /** The number of incomplete tasks that block this one; every write that changes such a task updates it. */
  open_dependencies: number;
  version: number;
  claimed_by: string | null;
  claimed_at: string | null;
  claim_expires_at: string | null;
  /** The duration of the claim from each renewal. */
  claim_lease_ms: number | null;
  /** The session that made the claim; NULL if the caller acted only under its agent name. */
  claim_session: string | null;
  /** Counts the claims of this task; a holder whose number is no longer the current one has lost its claim. */
  claim_number: number;
  /** The failed attempts of loops since a caller last set the status. */
  attempts: number;
  /** The task is not offered before this time, after a failed attempt. */
  retry_at: string | null;
  created_at: string;
  updated_at: string;
}

/** The last claim that a holder lost: another holder took the task after the lease, or a person overrode the claim. */
interface LostClaimTable {
  task_id: string;
  agent_name: string;
  /** The empty string for a claim without a session. */
  session: string;
  number: number;
  taken_by: string;
  lost_at: string;
}

export interface EventTable {
  id: Generated<number>;
  kind: string;
  agent_name: string;
  project_id: string | null;
  task_id: string | null;
  message: string;
  metadata: string;
  created_at: string;
  archived_at: string | null;
}

export interface MemoryTable {
  id: Generated<number>;
  scope: string;
  scope_id: string;
  key: string;
  value: string;
  value_type: string;
  kind: string;
  pinned: number;
  source_agent: string;
  event_id: number;
  created_at: string;
  updated_at: string;
  /** When an agent or a person last stored the same value. */
  confirmed_at: string;
  expires_at: string | null;
  /** When a newer memory of the same key or a deletion replaced it; NULL while it is current. */
  superseded_at: string | null;
  /** The id of the memory that replaced this one; NULL for a current memory and for a deleted one. */
  superseded_by: number | null;
}

interface ArtifactTable {
  id: string;
  task_id: string;
  event_id: number;
  file_path: string;
  content_type: string;
  size_bytes: number | null;
  blake3: string | null;
  created_at: string;
}

interface AgentStateTable {
  agent_name: string;
  project_id: string;
  cursor: number;
  focus_task_id: string | null;
  updated_at: string;
}

interface RequestTable {
  agent_name: string;
  request_id: string;
  command: string;
  payload: string;
  result: string;
  created_at: string;
}
