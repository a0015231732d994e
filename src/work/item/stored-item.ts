import * as v from 'valibot';
import { int, record } from '../../base/schema.ts';

const strings = v.optional(v.array(v.string()));

/** An item in a stored document. Plans are validated completely when they are read; this covers what a run relies on. */
export const STORED_ITEM = v.object({
  id: v.string(),
  agent_id: v.string(),
  description: v.string(),
  dependencies: v.array(v.string()),
  constraints: v.object({
    max_files: int(),
    max_tool_ops: int(),
    max_delta_size: int(),
    timeout_ms: int(),
  }),
  input_files: v.optional(v.array(v.string())),
  output_files: v.optional(v.array(v.string())),
  test_command: v.optional(v.string()),
  approval: v.optional(v.boolean()),
  network: v.optional(v.boolean()),
  paths: v.optional(v.object({ allow: strings, deny: strings })),
  max_lines: v.optional(int()),
  requires: v.optional(v.array(v.string())),
  forbid: strings,
  setup_command: v.optional(v.string()),
  working_directory: v.optional(v.string()),
  env: v.optional(record(v.string())),
  services: v.optional(v.array(v.object({ name: v.string(), command: v.string(), ready: v.string() }))),
  retries: v.optional(int()),
  task_id: v.optional(v.string()),
});
