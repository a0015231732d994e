import * as z from '../../base/schema/schema.ts';

export const runIdParameter = z.described(
  z.string().check(z.minLength(1)),
  'The run, as "work list" shows it',
);
export const jobIdParameter = z.described(
  z.string().check(z.minLength(1)),
  'The job, as "work run" answered it',
);
export const rootParameter = z.described(
  z.optional(z.string().check(z.minLength(1))),
  'The git working tree to work on (default: the current folder)',
);

/** A run in one line. */
export const RUN_LINE = {
  run_id: z.string(),
  job_id: z.nullable(z.string()),
  item_id: z.string(),
  agent_id: z.string(),
  phase: z.string(),
  status: z.string(),
  root: z.string(),
  at: z.string(),
  files: z.int(),
};

/** How a run ended, member by member as the contract has it. */
export const resultSchema = z.object({
  status: z.enum(['success', 'failure', 'denied', 'timeout']),
  receipt_id: z.string(),
  receipt_path: z.string(),
  modified_files: z.array(z.string()),
  created_files: z.array(z.string()),
  deleted_files: z.array(z.string()),
  output_hash: z.string(),
  artifact_hashes: z.record(z.string(), z.string()),
  metrics: z.object({
    execution_time_ms: z.number(),
    tool_ops_count: z.int(),
    delta_size: z.int(),
    files_touched: z.int(),
    tests_passed: z.optional(z.int()),
    tests_failed: z.optional(z.int()),
  }),
  test_output: z.optional(z.string()),
  proof_script: z.optional(z.string()),
  error: z.optional(z.string()),
  denial_reason: z.optional(z.string()),
});

export const itemResultSchema = z.extend(resultSchema, { item_id: z.string(), run_id: z.string() });

/** Text that comes from agents and their tests. */
export const RESULT_TEXT = ['test_output', 'error', 'denial_reason'] as const;

export const jobResultSchema = z.object({
  job_id: z.string(),
  status: z.enum(['pending', 'running', 'succeeded', 'failed', 'cancelled']),
  root: z.optional(z.string()),
  results: z.optional(z.array(itemResultSchema)),
  reconciliation: z.optional(z.nullable(itemResultSchema)),
  poll: z.optional(z.string()),
  result: z.optional(z.string()),
  replayed: z.optional(z.literal(true)),
  _untrusted: z.optional(z.array(z.string())),
});

export const JOB_TEXT = [
  ...RESULT_TEXT.map((field) => `results[].${field}`),
  ...RESULT_TEXT.map((field) => `reconciliation.${field}`),
];
