import type { ActionContext } from './live-process.ts';
import { pinProcess, type PinnedProcess } from './pinned-process.ts';

/** Returns why a process must not be acted on; undefined when it may be. */
export type TreeGuard = (process: PinnedProcess['live']) => string | undefined;

/** A process and all its descendants, each pinned by a pidfd. */
export interface PinnedTree {
  readonly root: PinnedProcess;
  /** Leaves first, the root last. */
  readonly members: () => readonly PinnedProcess[];
  /** Pins children that appeared since; returns the new ones. */
  readonly grow: () => readonly PinnedProcess[];
  /** Why the tree must not be acted on: the reason of the first rejected member. */
  readonly refusal: () => string | undefined;
  readonly release: () => void;
}

/** Pins a tree. The guard checks every member: a protected member protects the whole tree. */
export function pinTree(environment: ActionContext, root: PinnedProcess, guard: TreeGuard): PinnedTree {
  const members = new Map<number, { process: PinnedProcess; depth: number }>([
    [root.pid, { process: root, depth: 0 }],
  ]);
  let refusal = guard(root.live);
  const adopt = (pid: number): PinnedProcess | undefined => {
    const process = pinProcess(environment, pid);
    if (process === undefined) return undefined;
    // The process belongs to the tree only if its current parent is pinned and has not exited: until then no other process
    // can have the parent's pid.
    const parent = members.get(process.live.ppid);
    if (parent === undefined || parent.process.hasEnded()) {
      process.release();
      return undefined;
    }
    members.set(pid, { process, depth: parent.depth + 1 });
    refusal ??= guard(process.live);
    return process;
  };
  const grow = (): readonly PinnedProcess[] => {
    const children = Map.groupBy(environment.listParents(), ({ ppid }) => ppid);
    const found: PinnedProcess[] = [];
    let level = [...members.keys()];
    while (level.length > 0) {
      const next: number[] = [];
      for (const { pid } of level.flatMap((parent) => children.get(parent) ?? [])) {
        if (members.has(pid)) continue;
        const process = adopt(pid);
        if (process === undefined) continue;
        found.push(process);
        next.push(pid);
      }
      level = next;
    }
    return found;
  };
  grow();
  return {
    root,
    members: () => [...members.values()].toSorted((a, b) => b.depth - a.depth).map(({ process }) => process),
    grow,
    refusal: () => refusal,
    release: () => {
      for (const { process } of members.values()) process.release();
    },
  };
}
