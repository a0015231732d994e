import type { JsonObject } from '../base/json.ts';
import type { Evidence } from './tool.ts';

export type ReadinessLevel = 'stable' | 'beta' | 'unpublishable';

/** The release level is derived from the evidence and cannot be set. */
export function readinessLevel(evidence: Evidence): ReadinessLevel {
  const proven = [evidence.functionalCoverage, evidence.mockUpstream].every(
    (status) => status === 'verified' || status === 'not_applicable',
  );
  if (!proven) return 'unpublishable';
  return evidence.liveSmoke === 'verified' || evidence.liveSmoke === 'not_applicable' ? 'stable' : 'beta';
}

const REASONS: Readonly<Record<ReadinessLevel, string>> = {
  stable: 'Every public behaviour is tested, and this release has a recorded live run.',
  beta: 'Every public behaviour is tested; this release has no recorded live run yet.',
  unpublishable: 'Some public behaviour has no test that ran it.',
};

/** Describes the readiness of a release, with the nine members that the contract requires. */
export function describeReadiness(evidence: Evidence): JsonObject {
  const level = readinessLevel(evidence);
  return {
    level,
    fcc_required: true,
    fcc_status: evidence.functionalCoverage,
    mock_upstream_required: true,
    mock_upstream_status: evidence.mockUpstream,
    live_smoke_required_for_stable: true,
    live_smoke_status: evidence.liveSmoke,
    reason: REASONS[level],
    required_evidence: [
      'functional_contract_coverage_100',
      'mock_upstream_contract_tests',
      'recorded_live_smoke_for_stable',
    ],
  };
}
