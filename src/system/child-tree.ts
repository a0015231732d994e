import type { ChildProcess } from 'node:child_process';
import { systemCode } from '../base/system-fault.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { listByEnvironment, listDescendants, signalProcesses } from './process-tree.ts';

/** Signals everything that came of a child: its group, and members that made sessions of their own. */
export interface ChildTree {
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Signals the group alone: quick enough for the moment in which this process ends. */
  readonly signalGroup: (signal: NodeJS.Signals) => void;
}

/**
 * Watches the tree of a child that leads a process group. A member that made a session of its own is in the tree and not in the
 * group; once its parent is gone it is in neither, so those that were seen are remembered. One that left before anybody looked is known
 * only by the setting in its environment, where the child was given one of its own.
 */
export function childTree(child: ChildProcess, setting?: string): ChildTree {
  const seen: ProcessIdentity[] = [];
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      // Nobody is left in the group.
      if (systemCode(error) !== 'ESRCH') throw error;
    }
  };
  return {
    signalGroup,
    signal: (signal) => {
      if (child.pid !== undefined) seen.push(...listDescendants(child.pid));
      if (setting !== undefined) seen.push(...listByEnvironment(setting));
      signalGroup(signal);
      signalProcesses(seen, signal);
    },
  };
}
