import type { ActionContext } from './live-process.ts';
import { pinProcess, type PinnedProcess } from './pinned-process.ts';

/** Says why a process must not be touched; nothing when it may be. */
export type Guard = (process: PinnedProcess['live']) => string | undefined;

/** A process and everything below it, each held by a descriptor. */
export interface PinnedTree {
  readonly root: PinnedProcess;
  /** Leaves first, the root last. */
  readonly members: () => readonly PinnedProcess[];
  /** Looks for children that came since; returns the new ones. */
  readonly grow: () => readonly PinnedProcess[];
  /** Why a member must not be touched; set by the first one that must not be. */
  readonly refusal: () => string | undefined;
  readonly release: () => void;
}

/** Holds a tree. The guard looks at every member, since protection of one protects all that it hangs on. */
export function pinTree(environment: ActionContext, root: PinnedProcess, guard: Guard): PinnedTree {
  const members = new Map<number, { process: PinnedProcess; depth: number }>([
    [root.pid, { process: root, depth: 0 }],
  ]);
  let refusal = guard(root.live);
  const adopt = (pid: number): PinnedProcess | undefined => {
    const process = pinProcess(environment, pid);
    if (process === undefined) return undefined;
    // Its parent as the look found it, now that it is held: it is ours only if that parent is held and has not ended, for then
    // nobody else can have the parent's pid.
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
