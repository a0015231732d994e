import * as z from '../../base/schema/schema.ts';
import { TASK_STATUSES } from '../../continuity/tasks/task.ts';

export const taskSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUSES),
  priority: z.int(),
  project_id: z.optional(z.string()),
  blocked_reason: z.optional(z.string()),
  depends_on: z.optional(z.array(z.string())),
  related: z.optional(z.array(z.object({ id: z.string(), kind: z.string() }))),
  claim: z.optional(z.object({ agent: z.string(), expires_at: z.string(), expired: z.boolean() })),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const TASK_TEXT = ['title', 'description', 'blocked_reason', 'project_id', 'claim.agent'] as const;

/** Names the text fields of something below a member of the answer. */
export function textOf(prefix: string, fields: readonly string[]): string[] {
  return fields.map((field) => `${prefix}.${field}`);
}

export const eventSchema = z.object({
  id: z.int(),
  kind: z.string(),
  agent_name: z.string(),
  project_id: z.optional(z.string()),
  task_id: z.nullable(z.string()),
  message: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  archived_at: z.optional(z.string()),
});

export const EVENT_TEXT = ['kind', 'agent_name', 'project_id', 'message', 'metadata'] as const;

export const memorySchema = z.object({
  id: z.int(),
  key: z.string(),
  value: z.string(),
  value_type: z.string(),
  scope: z.string(),
  scope_id: z.optional(z.string()),
  kind: z.string(),
  pinned: z.boolean(),
  source_agent: z.string(),
  event_id: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  expires_at: z.optional(z.string()),
  superseded_at: z.optional(z.string()),
});

export const MEMORY_TEXT = ['key', 'value', 'scope_id', 'source_agent'] as const;

export const artifactSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  event_id: z.int(),
  file_path: z.string(),
  content_type: z.string(),
  size_bytes: z.nullable(z.int()),
  blake3: z.nullable(z.string()),
  created_at: z.string(),
});

const happeningSchema = z.object({
  id: z.int(),
  kind: z.string(),
  agent_name: z.string(),
  message: z.string(),
  created_at: z.string(),
});

const lineSchema = z.object({ id: z.string(), title: z.string(), status: z.string(), priority: z.int() });

export const briefSchema = z.object({
  task: z.nullable(taskSchema),
  project: z.nullable(z.string()),
  blockers: z.array(z.object({ id: z.string(), title: z.string(), status: z.string() })),
  relevant_memory: z.array(
    z.object({
      key: z.string(),
      value: z.string(),
      kind: z.string(),
      scope: z.string(),
      scope_id: z.optional(z.string()),
      pinned: z.boolean(),
      source_agent: z.string(),
      updated_at: z.string(),
    }),
  ),
  recent_events: z.array(happeningSchema),
  runs: z.array(happeningSchema),
  artifacts: z.array(
    z.object({
      id: z.string(),
      file_path: z.string(),
      content_type: z.string(),
      size_bytes: z.nullable(z.int()),
    }),
  ),
  prior_reasoning: z.array(happeningSchema),
  pipeline: z.array(lineSchema),
  unlocks: z.array(lineSchema),
  counts: z.object({ pending: z.int(), in_progress: z.int(), completed: z.int(), blocked: z.int() }),
  approx_tokens: z.int(),
  omitted: z.int(),
});
