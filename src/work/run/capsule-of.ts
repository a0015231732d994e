import { sha256 } from '../../system/digest.ts';
import { renderCanonical, toWellFormed } from '../../base/canonical-json.ts';
import type { TreeChange } from '../workspace/workspace.ts';
import type { CapsuleArtifact, CapsuleStatus, Delta, RunCapsule } from './run-capsule.ts';
import type { RunDraft } from './run-draft.ts';

const STATUS: Readonly<Record<RunDraft['status'], CapsuleStatus>> = {
  success: 'completed',
  failure: 'failed',
  timeout: 'failed',
  denied: 'denied',
};

/** Creates the capsule of a run; its hash is chained to the previous run. */
export function capsuleOf(draft: RunDraft, previousRunHash: string, nowMs: number): RunCapsule {
  const capsule: Omit<RunCapsule, 'runHash'> = {
    id: draft.runId,
    parentRunId: draft.jobId,
    t_ns: nanoseconds(nowMs),
    timestamp_iso: new Date(nowMs).toISOString(),
    status: STATUS[draft.status],
    ...draft.deltas,
    toolTrace: draft.toolTrace,
    artifacts: artifactsOf(draft.changes),
    previousRunHash,
    admitted: draft.denial === undefined,
    ...(draft.denial && { denialReason: draft.denial.message }),
  };
  return { ...capsule, runHash: sha256(renderCanonical(toWellFormed(capsule))) };
}

/** As a string, because the number exceeds the exact range of JSON numbers. */
export function nanoseconds(nowMs: number): string {
  return `${BigInt(Math.round(nowMs)) * 1_000_000n}`;
}

const DELTA_TYPES = { create: 'add', modify: 'modify', delete: 'delete' } as const;
const ARTIFACT_TYPES = { create: 'create', modify: 'edit', delete: 'delete' } as const;

/** A folder that becomes empty because its last file was deleted does not count as a change. */
export function isCounted({ action, type }: TreeChange): boolean {
  return action !== 'modify' || type !== 'dir';
}

export function deltasOf(changes: readonly TreeChange[]): readonly Delta[] {
  return changes.filter(isCounted).map(({ path, action, before, after }) => ({
    type: DELTA_TYPES[action],
    target: path,
    ...(before && { before: before.hash }),
    ...(after && { after: after.hash, hash: after.hash }),
  }));
}

export function artifactsOf(changes: readonly TreeChange[]): readonly CapsuleArtifact[] {
  return changes.filter(isCounted).map(({ path, action, type, after }, index) => ({
    id: `artifact-${index + 1}`,
    type: ARTIFACT_TYPES[action],
    path,
    ...(after && { contentHash: after.hash, metadata: { kind: type, mode: after.mode, bytes: after.size } }),
  }));
}
