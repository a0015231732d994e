import { Fault } from '../../base/fault.ts';
import type { Pinning } from '../actions/pinned-process.ts';
import type { Assessment } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import { startId } from '../process-snapshot.ts';

/** Creates the fault for a pid that no longer belongs to the planned process. */
export function identityMismatch(
  { host }: PlanDocument,
  planned: Assessment,
  pinning: Pinning,
  reason: string,
): Fault {
  const actual = pinning.kind === 'changed' ? pinning.actual : undefined;
  return new Fault(
    'E_IDENTITY_MISMATCH',
    `PID ${planned.pid} identity changed since plan was created. ${reason}`,
    {
      hint: 'Create a new plan. No action was taken.',
      details: {
        pid: planned.pid,
        expected_start_id: planned.start_id,
        actual_start_id: actual === undefined ? null : startId(host, actual),
        expected: { start_ticks: planned.startTicks, uid: planned.uid, exe: planned.exe },
        ...(actual && { actual: { start_ticks: actual.startTicks, uid: actual.uid, exe: actual.exe } }),
      },
    },
  );
}
