import type { Task } from '../tasks/task.ts';

export interface Note {
  readonly key: string;
  /** The whole value if it is short, otherwise the parts that fit best. */
  readonly value: string;
  readonly kind: string;
  readonly scope: string;
  readonly scope_id?: string;
  readonly pinned: boolean;
  readonly source_agent: string;
  readonly updated_at: string;
  readonly confirmed_at: string;
  /** Notes with the same key in other scopes, which this one overrides. */
  readonly overrides?: { scope: string; scope_id?: string; value: string }[];
}

export interface EventSummary {
  readonly id: string;
  readonly kind: string;
  readonly agent_name: string;
  readonly message: string;
  readonly created_at: string;
}

/** A sentence in which a user set or lifted a limit. */
export interface Constraint {
  readonly event_id: string;
  readonly text: string;
  readonly created_at: string;
}

/** An item of the to-do list of an agent that was not completed. */
export interface Todo {
  readonly event_id: string;
  readonly text: string;
  readonly started: boolean;
  /** When the agent wrote the list. */
  readonly created_at: string;
}

/** A failed tool call. */
export interface Failure {
  readonly event_id: string;
  readonly tool: string;
  readonly command?: string;
  readonly error: string;
  readonly created_at: string;
  /** Whether the same command succeeded after it. */
  readonly succeeded_later: boolean;
}

export interface EditedFile {
  /** The present name: files that commands moved or removed have the new one, or are left out. */
  readonly file_path: string;
  readonly edits: number;
  readonly last_edited_at: string;
}

export interface BriefArtifact {
  readonly id: string;
  readonly file_path: string;
  readonly content_type: string;
  readonly size_bytes: number | null;
  /** Set if the file differs from what was recorded. */
  readonly state?: 'changed' | 'missing';
}

export interface TaskSummary {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
}

/** A task that another agent or session works on. */
export interface ClaimedTask {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly session?: string;
  readonly expires_at: string;
}

/** The lists of a brief, each with the most important entry first. */
export interface BriefLists {
  readonly claimed: ClaimedTask[];
  /** The last requests of the user. */
  readonly requests: EventSummary[];
  /** The open items of the last to-do list. */
  readonly todos: Todo[];
  readonly constraints: Constraint[];
  /** What agents said at the end of their turns. */
  readonly messages: EventSummary[];
  readonly relevant_memory: Note[];
  readonly recent_events: EventSummary[];
  readonly prior_reasoning: EventSummary[];
  readonly ruled_out: EventSummary[];
  readonly failures: Failure[];
  readonly files: EditedFile[];
  /** Results of the last runs of work. */
  readonly runs: EventSummary[];
  readonly artifacts: BriefArtifact[];
  readonly pipeline: TaskSummary[];
  readonly unlocks: TaskSummary[];
}

/** What a new agent needs to continue, within a token budget. Arrays are never null; `omitted` counts the entries that did not fit. */
export interface Brief extends BriefLists {
  readonly task: Task | null;
  readonly project: string | null;
  readonly blockers: { id: string; title: string; status: string }[];
  readonly counts: Record<'pending' | 'in_progress' | 'completed' | 'blocked', number>;
  /** The estimated tokens of the prompt. */
  readonly approx_tokens: number;
  readonly omitted: number;
}
