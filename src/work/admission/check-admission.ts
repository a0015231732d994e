import type { CapsuleArtifact, Deltas, RecordedToolCall } from '../run/run-capsule.ts';

/** Limits of a run, in the terms of the contract's admission rules. */
export interface AdmissionLimits {
  readonly maxFiles: number;
  readonly maxToolOps: number;
  readonly maxDeltaSize: number;
}

/** Input of the admission rules. */
export interface AdmissionInput extends Deltas {
  readonly artifacts: readonly Pick<CapsuleArtifact, 'path'>[];
  readonly toolTrace: readonly Pick<RecordedToolCall, 'id'>[];
}

/** Machine-readable reason why a run was denied. */
export type DenialReason =
  | 'budget_exceeded'
  | 'delta_too_large'
  | 'tools_exceeded'
  | 'files_exceeded'
  | 'invariant_violated'
  | 'shard_conflict'
  | 'dependency_failed'
  | 'rejected';

export interface Admission {
  readonly ok: boolean;
  readonly reason?: string;
  readonly denial?: DenialReason;
}

/** Applies the contract's admission rules in the contract's order and wording. A value equal to its limit is admitted. */
export function checkAdmission(capsule: AdmissionInput, limits: AdmissionLimits): Admission {
  const files = new Set(capsule.artifacts.flatMap(({ path }) => (path ? [path] : []))).size;
  if (files > limits.maxFiles) return denied('files_exceeded', 'max files', files, limits.maxFiles);
  const ops = capsule.toolTrace.length;
  if (ops > limits.maxToolOps) return denied('tools_exceeded', 'max tool ops', ops, limits.maxToolOps);
  const size = deltaSize(capsule);
  if (size > limits.maxDeltaSize)
    return denied('delta_too_large', 'max delta size', size, limits.maxDeltaSize);
  return { ok: true };
}

/** Counts the changes in all four deltas. */
export function deltaSize({ deltaO, deltaPi, deltaLambda, deltaQ }: Deltas): number {
  return deltaO.length + deltaPi.length + deltaLambda.length + deltaQ.length;
}

function denied(denial: DenialReason, what: string, found: number, max: number): Admission {
  return { ok: false, reason: `Exceeded ${what}: ${found} > ${max}`, denial };
}
