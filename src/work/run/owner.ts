import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { ownPid } from '../../system/own-pid.ts';
import {
  identifyProcess,
  isSameProcessAlive,
  processSpace,
  type ProcessIdentity,
} from '../../system/process-identity.ts';

/** The process that runs a run or a job. */
export interface OwnerProcess extends ProcessIdentity {
  readonly space: string;
}

/** An owner in a stored document. */
export const OWNER = v.object({ pid: int(), startedAt: v.string(), space: v.string() });

export function currentOwner(): OwnerProcess {
  const pid = ownPid();
  return { startedAt: '', ...identifyProcess(pid), pid, space: processSpace() };
}

/** Whether the process is alive; a process in another PID namespace counts as alive. */
export function isOwnerAlive(owner: OwnerProcess): boolean {
  return owner.space !== processSpace() || isSameProcessAlive(owner);
}
