import { join } from 'node:path';
import { WORK_LIMITS } from '../work-limits.ts';
import { deltaSize } from '../admission/check-admission.ts';
import { isCounted } from './capsule-of.ts';
import type { Isolation } from '../workspace/isolation.ts';
import type { RunDraft } from './run-draft.ts';

/** The result of a run as defined by the contract; absolute paths in the user's tree. */
export interface RunResult {
  readonly status: 'success' | 'failure' | 'denied' | 'timeout';
  readonly receipt_id: string;
  readonly receipt_path: string;
  readonly modified_files: readonly string[];
  readonly created_files: readonly string[];
  readonly deleted_files: readonly string[];
  readonly output_hash: string;
  /** How the commands of the run were confined; `none` if they ran unsandboxed, or if none ran. */
  readonly isolation?: Isolation | undefined;
  /** The branch that the run landed on, and its commit there; both are missing if it changed the tree. */
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly artifact_hashes: Readonly<Record<string, string>>;
  readonly metrics: {
    readonly execution_time_ms: number;
    readonly tool_ops_count: number;
    readonly delta_size: number;
    readonly files_touched: number;
    readonly tests_passed?: number | undefined;
    readonly tests_failed?: number | undefined;
  };
  readonly test_output?: string | undefined;
  readonly proof_script?: string | undefined;
  /** The last lines of the output of an agent whose run was not promoted. Extension of the contract. */
  readonly agent_output?: string | undefined;
  readonly error?: string | undefined;
  readonly denial_reason?: string | undefined;
}

/** Creates the result of a run. If the run was not promoted, no files are listed and the hash is the hash of the state before the run. */
export function resultOf(draft: RunDraft, folder: string): RunResult {
  const promoted = draft.status === 'success';
  const pick = (action: string): string[] =>
    promoted
      ? draft.changes
          .filter((change) => change.action === action && isCounted(change))
          .map(({ path }) => join(draft.root, path))
      : [];
  const hashes = draft.changes.flatMap(({ path, after }) =>
    promoted && after !== undefined && after.type !== 'dir'
      ? [[join(draft.root, path), after.hash] as const]
      : [],
  );
  return {
    status: draft.status,
    receipt_id: draft.receiptId,
    receipt_path: join(folder, 'RECEIPT.json'),
    modified_files: pick('modify'),
    created_files: pick('create'),
    deleted_files: pick('delete'),
    output_hash: promoted ? draft.afterHash : draft.before.hash,
    ...(draft.workspace.mode !== 'none' && { isolation: draft.workspace.isolation }),
    ...(promoted && draft.landing && { branch: draft.landing.branch, commit: draft.landing.commit }),
    artifact_hashes: Object.fromEntries(hashes),
    metrics: {
      execution_time_ms: draft.executionMs,
      tool_ops_count: draft.toolTrace.length,
      delta_size: deltaSize(draft.deltas),
      files_touched: draft.changes.filter(isCounted).length,
      ...(draft.tests?.counts && {
        tests_passed: draft.tests.counts.passed,
        tests_failed: draft.tests.counts.failed,
      }),
    },
    ...(draft.tests && { test_output: tail(draft.tests.output) }),
    ...(promoted && draft.replay !== undefined && { proof_script: join(folder, 'replay.sh') }),
    ...(!promoted && draft.lastOutput?.length && { agent_output: draft.lastOutput.join('\n') }),
    ...(draft.error !== undefined && { error: draft.error }),
    ...(draft.denial !== undefined && { denial_reason: draft.denial.message }),
  };
}

/** The last part of the test output; the complete output is in the log. */
function tail(text: string): string {
  return text.length <= WORK_LIMITS.resultOutputCharacters
    ? text
    : `…${text.slice(-WORK_LIMITS.resultOutputCharacters)}`;
}
