import type { ChildProcess } from 'node:child_process';
import { systemCode } from '../base/system-fault.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { listByEnvironment, listDescendants, signalProcesses } from './process-tree.ts';

/** Signals a child and its descendants: its process group, and members that started their own sessions. */
export interface ChildTree {
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Signals only the group: fast enough for an exit handler. */
  readonly signalGroup: (signal: NodeJS.Signals) => void;
}

/**
 * Tracks the tree of a child that leads a process group. A member that started its own session is in the tree but not in the
 * group; once its parent has exited it is in neither, so known members are remembered. A member that detached before the first
 * check is found only by `variable`, a `NAME=value` of the environment that it inherited.
 */
export function childTree(child: ChildProcess, variable?: string): ChildTree {
  const seen: ProcessIdentity[] = [];
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      // The group is empty.
      if (systemCode(error) !== 'ESRCH') throw error;
    }
  };
  return {
    signalGroup,
    signal: (signal) => {
      if (child.pid !== undefined) seen.push(...listDescendants(child.pid));
      if (variable !== undefined) seen.push(...listByEnvironment(variable));
      signalGroup(signal);
      signalProcesses(seen, signal);
    },
  };
}
