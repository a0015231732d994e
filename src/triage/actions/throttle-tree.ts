import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ActionContext } from './live-process.ts';
import type { PinnedProcess } from './pinned-process.ts';
import type { PinnedTree } from './pinned-tree.ts';

/** What throttling needs beyond other actions. */
export interface ThrottlePorts {
  /** Where control groups are mounted. */
  readonly cgroupRoot: string;
  /** The groups of a process: one line `0::/path` of version 2, or one a controller of version 1. */
  readonly cgroupsOf: (pid: number) => readonly CgroupMembership[];
  readonly setNice: (pid: number, nice: number) => void;
}

export interface CgroupMembership {
  /** Empty for version 2. */
  readonly controllers: readonly string[];
  readonly path: string;
}

export interface ThrottleOutcome {
  readonly method: 'cgroup_v2' | 'cgroup_v1' | 'renice';
  /** The group that was made for it; removing the processes from it undoes the throttle. */
  readonly cgroup: string | null;
  readonly previous: string | null;
  readonly reversible: boolean;
}

/** A quarter of one processor. */
const PERIOD_US = 100_000;
const QUOTA_US = 25_000;
const NICE = 19;

/**
 * Slows a tree down: a control group of its own with a quota, or the lowest priority where groups may not be made. A priority that was
 * lowered cannot be raised again by an ordinary account, so that way does not count as reversible.
 */
export function throttleTree(
  environment: ActionContext,
  tree: PinnedTree,
  ports: ThrottlePorts,
): ThrottleOutcome {
  const members = tree.members().toReversed();
  for (const place of placesFor(tree.root, ports)) {
    if (!makeGroup(place)) continue;
    if (moveAll(environment, members, place)) return describe(place);
    undo(members, place);
  }
  for (const process of members) {
    if (!process.hasEnded()) ports.setNice(process.pid, NICE);
  }
  return { method: 'renice', cgroup: null, previous: null, reversible: false };
}

interface Place {
  readonly method: 'cgroup_v2' | 'cgroup_v1';
  readonly folder: string;
  readonly previous: string;
  readonly limits: Readonly<Record<string, string>>;
}

function placesFor(root: PinnedProcess, { cgroupRoot, cgroupsOf }: ThrottlePorts): readonly Place[] {
  const name = `deed-throttle-${root.pid}-${root.live.startTicks}`;
  return cgroupsOf(root.pid).flatMap(({ controllers, path }): Place[] => {
    if (controllers.length === 0) {
      // A group of version 2 that has processes may have no groups below it, so the new one goes beside it.
      const previous = join(cgroupRoot, path);
      const folder = join(path === '/' ? previous : dirname(previous), name);
      return [{ method: 'cgroup_v2', folder, previous, limits: { 'cpu.max': `${QUOTA_US} ${PERIOD_US}` } }];
    }
    if (!controllers.includes('cpu')) return [];
    const previous = join(cgroupRoot, 'cpu', path);
    const limits = { 'cpu.cfs_period_us': `${PERIOD_US}`, 'cpu.cfs_quota_us': `${QUOTA_US}` };
    return [{ method: 'cgroup_v1', folder: join(previous, name), previous, limits }];
  });
}

function makeGroup({ folder, limits }: Place): boolean {
  try {
    mkdirSync(folder, { recursive: false });
  } catch (error) {
    // Left by an attempt that was cut short.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return false;
  }
  try {
    for (const [file, value] of Object.entries(limits))
      writeFileSync(join(folder, file), value, { flag: 'r+' });
    return true;
  } catch {
    removeGroup(folder);
    return false;
  }
}

/**
 * A group takes pids, not descriptors. The process was there before the write; if it still is afterwards, its pid was its own all the
 * time. If not, somebody else's process may have been moved, so everything is moved back.
 */
function moveAll(environment: ActionContext, members: readonly PinnedProcess[], { folder }: Place): boolean {
  for (const process of members) {
    if (process.hasEnded()) continue;
    try {
      writeFileSync(join(folder, 'cgroup.procs'), `${process.pid}\n`, { flag: 'a' });
    } catch {
      if (process.hasEnded()) continue;
      return false;
    }
    if (process.hasEnded() && environment.look(process.pid)?.startTicks !== process.live.startTicks)
      return false;
  }
  return true;
}

function undo(members: readonly PinnedProcess[], { folder, previous }: Place): void {
  for (const { pid } of members) {
    try {
      writeFileSync(join(previous, 'cgroup.procs'), `${pid}\n`, { flag: 'a' });
    } catch {
      // It ended.
    }
  }
  removeGroup(folder);
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody is in it; an empty group costs nothing and is used again.
  }
}

function describe({ method, folder, previous }: Place): ThrottleOutcome {
  return { method, cgroup: folder, previous, reversible: true };
}
