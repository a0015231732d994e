import * as v from 'valibot';
import { described, int, number, record } from '../../base/schema.ts';
import { RUN_STEP, STEPS } from '../../work/run/run-state.ts';
import { jobId, runId } from './work-ids.ts';

export const runIdParameter = runId(
  described(v.pipe(v.string(), v.minLength(1)), 'Run id, as shown by "work list", or a unique prefix of it'),
);
export const jobIdParameter = jobId(
  described(
    v.pipe(v.string(), v.minLength(1)),
    'Job id, as returned by "work run", or a unique prefix of it',
  ),
);
export const rootParameter = described(
  v.optional(v.pipe(v.string(), v.minLength(1))),
  'Git working tree (default: the current folder)',
);

export const STEP = v.optional(
  described(v.picklist(STEPS), 'What an open run does now; "checks" is between the agent and its tests'),
);

/** When the steps of an open run began. */
export const STEP_TIMES = v.optional(v.array(RUN_STEP));

/** A run as one row of a list. */
export const RUN_LINE = {
  run_id: v.string(),
  job_id: v.nullable(v.string()),
  item_id: v.string(),
  agent_id: v.string(),
  phase: v.string(),
  status: v.string(),
  root: v.string(),
  at: v.string(),
  files: int(),
  step: STEP,
  attempt: v.optional(int()),
  revises: v.optional(v.string()),
  problem: v.optional(v.string()),
};

/** The result of a run, with the fields of the contract. */
export const resultSchema = v.object({
  status: v.picklist(['success', 'failure', 'denied', 'timeout']),
  receipt_id: v.string(),
  receipt_path: v.string(),
  modified_files: v.array(v.string()),
  created_files: v.array(v.string()),
  deleted_files: v.array(v.string()),
  output_hash: v.string(),
  isolation: v.optional(v.picklist(['bubblewrap', 'namespace', 'landlock', 'none'])),
  branch: v.optional(v.string()),
  commit: v.optional(v.string()),
  artifact_hashes: record(v.string()),
  metrics: v.object({
    execution_time_ms: number(),
    tool_ops_count: int(),
    delta_size: int(),
    files_touched: int(),
    tests_passed: v.optional(int()),
    tests_failed: v.optional(int()),
  }),
  test_output: v.optional(v.string()),
  proof_script: v.optional(v.string()),
  agent_output: v.optional(v.string()),
  error: v.optional(v.string()),
  denial_reason: v.optional(v.string()),
});

export const itemResultSchema = v.object({
  ...resultSchema.entries,
  item_id: v.string(),
  run_id: v.string(),
  /** What its agent reported; absent if it reported nothing. */
  cost_usd: v.optional(number()),
});

/** Untrusted text of agents and their tests. */
export const RESULT_TEXT = ['test_output', 'agent_output', 'error', 'denial_reason'] as const;

export const jobResultSchema = v.object({
  job_id: v.string(),
  status: v.picklist(['pending', 'running', 'succeeded', 'failed', 'cancelled']),
  root: v.optional(v.string()),
  branch: v.optional(v.string()),
  pull_request: v.optional(
    v.object({
      url: v.nullable(v.string()),
      /** What to run if no pull request was opened. */
      commands: v.array(v.string()),
      problem: v.nullable(v.string()),
    }),
  ),
  results: v.optional(v.array(itemResultSchema)),
  reconciliation: v.optional(v.nullable(itemResultSchema)),
  poll: v.optional(v.string()),
  result: v.optional(v.string()),
  /** The page of the job, while `deed web` is running. */
  watch: v.optional(v.string()),
  replayed: v.optional(v.literal(true)),
  _untrusted: v.optional(v.array(v.string())),
});

export const JOB_TEXT = [
  ...RESULT_TEXT.map((field) => `results[].${field}`),
  ...RESULT_TEXT.map((field) => `reconciliation.${field}`),
];
