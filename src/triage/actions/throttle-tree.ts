import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ActionContext } from './live-process.ts';
import type { PinnedProcess } from './pinned-process.ts';
import type { PinnedTree } from './pinned-tree.ts';
import { removeEmptyGroup, removeEmptyGroups, throttleGroupName } from './throttle-groups.ts';

/** The additional dependencies of throttling. */
export interface ThrottlePorts {
  /** The mount point of cgroups. */
  readonly cgroupRoot: string;
  /** The cgroups of a process: one entry in version 2, one per controller in version 1. */
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
  /** The cgroup that was created; moving the processes out of it undoes the throttle. */
  readonly cgroup: string | null;
  readonly previous: string | null;
  readonly reversible: boolean;
}

/** 25 % of one CPU. */
const PERIOD_US = 100_000;
const QUOTA_US = 25_000;
const NICE = 19;

/**
 * Limits the CPU time of a tree: by a new cgroup with a quota, or by the lowest priority where cgroups cannot be created. Only root
 * can raise a priority again, so the second method does not count as reversible.
 */
export function throttleTree(
  environment: ActionContext,
  tree: PinnedTree,
  ports: ThrottlePorts,
): ThrottleOutcome {
  const members = tree.members().toReversed();
  for (const group of groupsFor(tree.root, ports)) {
    removeEmptyGroups(dirname(group.folder));
    if (!createGroup(group)) continue;
    if (moveAll(environment, members, group)) return describe(group);
    undo(members, group);
  }
  for (const process of members) {
    if (!process.hasEnded()) ports.setNice(process.pid, NICE);
  }
  return { method: 'renice', cgroup: null, previous: null, reversible: false };
}

interface ThrottleGroup {
  readonly method: 'cgroup_v2' | 'cgroup_v1';
  readonly folder: string;
  readonly previous: string;
  readonly limits: Readonly<Record<string, string>>;
}

function groupsFor(root: PinnedProcess, { cgroupRoot, cgroupsOf }: ThrottlePorts): readonly ThrottleGroup[] {
  const name = throttleGroupName(root.pid, root.live.startTicks);
  return cgroupsOf(root.pid).flatMap(({ controllers, path }): ThrottleGroup[] => {
    if (controllers.length === 0) {
      // In version 2 a cgroup with processes cannot have children, so the new one is created next to it.
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

function createGroup({ folder, limits }: ThrottleGroup): boolean {
  try {
    mkdirSync(folder, { recursive: false });
  } catch (error) {
    // Created by an interrupted attempt.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return false;
  }
  try {
    for (const [file, value] of Object.entries(limits))
      writeFileSync(join(folder, file), value, { flag: 'r+' });
    return true;
  } catch {
    removeEmptyGroup(folder);
    return false;
  }
}

/**
 * Cgroups accept pids, not pidfds. A process that exists before and after the write had its pid all the time. Otherwise an unrelated
 * process with the same pid may have been moved, so everything is moved back.
 */
function moveAll(
  environment: ActionContext,
  members: readonly PinnedProcess[],
  { folder }: ThrottleGroup,
): boolean {
  for (const process of members) {
    if (process.hasEnded()) continue;
    try {
      writeFileSync(join(folder, 'cgroup.procs'), `${process.pid}\n`, { flag: 'a' });
    } catch {
      if (process.hasEnded()) continue;
      return false;
    }
    if (process.hasEnded() && environment.readProcess(process.pid)?.startTicks !== process.live.startTicks)
      return false;
  }
  return true;
}

function undo(members: readonly PinnedProcess[], { folder, previous }: ThrottleGroup): void {
  for (const { pid } of members) {
    try {
      writeFileSync(join(previous, 'cgroup.procs'), `${pid}\n`, { flag: 'a' });
    } catch {
      // The process has exited.
    }
  }
  removeEmptyGroup(folder);
}

function describe({ method, folder, previous }: ThrottleGroup): ThrottleOutcome {
  return { method, cgroup: folder, previous, reversible: true };
}
