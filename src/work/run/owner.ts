import { ownPid } from '../../system/own-pid.ts';
import {
  identifyProcess,
  isSameProcessAlive,
  processSpace,
  type ProcessIdentity,
} from '../../system/process-identity.ts';

/** Who drives a run or a job at the moment. */
export interface Owner extends ProcessIdentity {
  readonly space: string;
}

export function currentOwner(): Owner {
  const pid = ownPid();
  return { startedAt: '', ...identifyProcess(pid), pid, space: processSpace() };
}

/** Tells whether the driver still lives; one that cannot be seen from here counts as alive. */
export function isOwnerAlive(owner: Owner): boolean {
  return owner.space !== processSpace() || isSameProcessAlive(owner);
}
