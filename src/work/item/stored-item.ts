import * as v from 'valibot';
import { int } from '../../base/schema.ts';

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
  task_id: v.optional(v.string()),
});
