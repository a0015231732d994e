import type { Verification } from '../operations/verify-outcomes.ts';
import type { ActionVerification, VerifyBody } from '../triage-results.ts';
import { toMegabytes } from './present-results.ts';

/** Converts verifications to output. */
export function presentVerification(
  verifications: readonly Verification[],
  times: { readonly requestedAt: string; readonly completedAt: string },
): VerifyBody {
  const intended = verifications.filter(({ asIntended }) => asIntended).length;
  const status =
    intended === verifications.length ? 'success' : intended === 0 ? 'failure' : 'partial_success';
  return {
    verification: {
      requested_at: times.requestedAt,
      completed_at: times.completedAt,
      overall_status: status,
      confirmed: intended,
      total: verifications.length,
    },
    action_outcomes: verifications.map(presentOne),
    resource_summary: summarizeResources(verifications),
  };
}

function presentOne({
  entry,
  outcome,
  note,
  freedBytes,
  expectedMb,
  respawn,
  survivors,
}: Verification): ActionVerification {
  return {
    target: { pid: entry.target.pid, start_id: entry.target.start_id },
    action: entry.action,
    outcome,
    note,
    ...(typeof entry.timeToDeathMs === 'number' && { time_to_death_ms: entry.timeToDeathMs }),
    resources_freed: { memory_mb: toMegabytes(freedBytes), expected_mb: expectedMb },
    ...(survivors.length > 0 && { surviving_pids: survivors }),
    ...(respawn && {
      respawn_detected: {
        pid: respawn.pid,
        start_id: respawn.startId,
        parent_pid: respawn.parentPid,
        by: respawn.by,
        memory_mb: toMegabytes(respawn.memoryBytes),
      },
    }),
  };
}

function summarizeResources(verifications: readonly Verification[]): VerifyBody['resource_summary'] {
  const freed = toMegabytes(verifications.reduce((total, { freedBytes }) => total + freedBytes, 0));
  const counted = verifications.filter(({ outcome }) => outcome !== 'cascaded');
  const expected = Math.round(counted.reduce((total, { expectedMb }) => total + expectedMb, 0) * 100) / 100;
  const reason = shortfallReason(verifications);
  const short = freed < expected;
  return { memory_freed_mb: freed, expected_mb: expected, ...(short && { shortfall_reason: reason }) };
}

function shortfallReason(verifications: readonly Verification[]): string {
  const running = verifications.filter(
    ({ outcome }) => outcome === 'still_running' || outcome === 'timeout',
  ).length;
  const respawned = verifications.filter(({ outcome }) => outcome === 'respawned').length;
  const reasons = [
    ...(running > 0 ? [`${running} of ${verifications.length} still running`] : []),
    ...(respawned > 0 ? [`${respawned} restarted`] : []),
    ...(verifications.some(({ survivors }) => survivors.length > 0)
      ? ['some trees are still partly running']
      : []),
  ];
  // The plan counts resident memory, which includes pages shared with other processes.
  return reasons.length > 0 ? `${reasons.join('; ')}.` : 'Memory shared with other processes stays in use.';
}
