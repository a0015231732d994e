import * as v from 'valibot';
import { int, record } from '../../base/schema.ts';
import { TASK_STATUSES } from '../../continuity/tasks/task.ts';

export const taskSchema = v.object({
  id: v.string(),
  title: v.string(),
  description: v.string(),
  status: v.picklist(TASK_STATUSES),
  priority: int(),
  project_id: v.optional(v.string()),
  blocked_reason: v.optional(v.string()),
  depends_on: v.optional(v.array(v.string())),
  related: v.optional(v.array(v.object({ id: v.string(), kind: v.string() }))),
  claim: v.optional(
    v.object({
      agent: v.string(),
      session: v.optional(v.string()),
      // Missing in stored responses that were written before claims had numbers.
      number: v.optional(int()),
      expires_at: v.string(),
      expired: v.boolean(),
    }),
  ),
  attempts: v.optional(int()),
  retry_at: v.optional(v.string()),
  version: int(),
  created_at: v.string(),
  updated_at: v.string(),
});

export const TASK_TEXT = ['title', 'description', 'blocked_reason', 'project_id', 'claim.agent'] as const;

/** Prefixes the names of text fields. */
export function textOf(prefix: string, fields: readonly string[]): string[] {
  return fields.map((field) => `${prefix}.${field}`);
}

export const eventSchema = v.object({
  id: v.string(),
  kind: v.string(),
  agent_name: v.string(),
  project_id: v.optional(v.string()),
  task_id: v.nullable(v.string()),
  message: v.string(),
  metadata: record(v.unknown()),
  created_at: v.string(),
  archived_at: v.optional(v.string()),
});

export const EVENT_TEXT = ['kind', 'agent_name', 'project_id', 'message', 'metadata'] as const;

export const memorySchema = v.object({
  id: v.string(),
  key: v.string(),
  value: v.string(),
  value_type: v.string(),
  scope: v.string(),
  scope_id: v.optional(v.string()),
  kind: v.string(),
  pinned: v.boolean(),
  source_agent: v.string(),
  event_id: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
  confirmed_at: v.string(),
  expires_at: v.optional(v.string()),
  superseded_at: v.optional(v.string()),
  superseded_by: v.optional(v.string()),
});

export const MEMORY_TEXT = ['key', 'value', 'scope_id', 'source_agent'] as const;

export const artifactSchema = v.object({
  id: v.string(),
  task_id: v.string(),
  event_id: v.string(),
  file_path: v.string(),
  content_type: v.string(),
  size_bytes: v.nullable(int()),
  blake3: v.nullable(v.string()),
  created_at: v.string(),
  state: v.optional(v.picklist(['changed', 'missing'])),
});

const eventSummarySchema = v.object({
  id: v.string(),
  kind: v.string(),
  agent_name: v.string(),
  message: v.string(),
  created_at: v.string(),
});

const taskSummarySchema = v.object({
  id: v.string(),
  title: v.string(),
  status: v.string(),
  priority: int(),
});

export const briefSchema = v.object({
  task: v.nullable(taskSchema),
  project: v.nullable(v.string()),
  blockers: v.array(v.object({ id: v.string(), title: v.string(), status: v.string() })),
  claimed: v.array(
    v.object({
      id: v.string(),
      title: v.string(),
      agent: v.string(),
      session: v.optional(v.string()),
      expires_at: v.string(),
    }),
  ),
  requests: v.array(eventSummarySchema),
  constraints: v.array(v.object({ event_id: v.string(), text: v.string(), created_at: v.string() })),
  messages: v.array(eventSummarySchema),
  relevant_memory: v.array(
    v.object({
      key: v.string(),
      value: v.string(),
      kind: v.string(),
      scope: v.string(),
      scope_id: v.optional(v.string()),
      pinned: v.boolean(),
      source_agent: v.string(),
      updated_at: v.string(),
      confirmed_at: v.string(),
      overrides: v.optional(
        v.array(v.object({ scope: v.string(), scope_id: v.optional(v.string()), value: v.string() })),
      ),
    }),
  ),
  recent_events: v.array(eventSummarySchema),
  prior_reasoning: v.array(eventSummarySchema),
  ruled_out: v.array(eventSummarySchema),
  failures: v.array(
    v.object({
      event_id: v.string(),
      tool: v.string(),
      command: v.optional(v.string()),
      error: v.string(),
      created_at: v.string(),
      succeeded_later: v.boolean(),
    }),
  ),
  todos: v.array(
    v.object({ event_id: v.string(), text: v.string(), started: v.boolean(), created_at: v.string() }),
  ),
  files: v.array(v.object({ file_path: v.string(), edits: int(), last_edited_at: v.string() })),
  runs: v.array(eventSummarySchema),
  artifacts: v.array(
    v.object({
      id: v.string(),
      file_path: v.string(),
      content_type: v.string(),
      size_bytes: v.nullable(int()),
      state: v.optional(v.picklist(['changed', 'missing'])),
    }),
  ),
  pipeline: v.array(taskSummarySchema),
  unlocks: v.array(taskSummarySchema),
  counts: v.object({ pending: int(), in_progress: int(), completed: int(), blocked: int() }),
  approx_tokens: int(),
  omitted: int(),
});
