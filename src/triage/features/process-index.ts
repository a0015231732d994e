import { isProtectedName } from '../parameters/protected-names.ts';

/** The facts that determine the process tree. */
export interface TreeFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly session: number;
  readonly tty: number;
  readonly state: string;
  readonly comm: string;
  readonly startTicks: number;
  readonly kernel: boolean;
}

/** Names of processes with a special role in the process tree. */
export interface ReaperNames {
  /** System processes: their descendants are not orphans. */
  readonly protected: readonly string[];
  /** Programs that start services and adopt orphans: `systemd`, `init`. */
  readonly reapers: readonly string[];
  /** Programs that start exactly one program: `tini`, `docker-init`. */
  readonly wrappers: readonly string[];
}

export interface ProcessIndex<P extends TreeFacts> {
  readonly get: (pid: number) => P | undefined;
  readonly childrenOf: (pid: number) => readonly P[];
  /** The nearest process that a reaper adopted: the process itself or an ancestor. Undefined if the chain of parents is complete. */
  readonly topOf: (process: P) => P | undefined;
  /** Whether it is certain that its parent adopted it: init or a reaper, or a parent that is younger than the process. */
  readonly isAdopted: (process: P) => boolean;
  /** Whether its session leader is running; a hidden one counts as running. */
  readonly leaderAlive: (process: P) => boolean;
  /** Every descendant, leaves first. */
  readonly descendantsOf: (pid: number) => readonly P[];
}

/**
 * Indexes processes by pid, by parent, and by the orphaned ancestor they run under. The observer and its ancestors never count as orphans:
 * they are in use, even as a background job whose shell has exited.
 */
export function indexProcesses<P extends TreeFacts>(
  processes: readonly P[],
  names: ReaperNames,
  hidden: boolean,
  observerPid = 0,
): ProcessIndex<P> {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const children = Map.groupBy(processes, ({ ppid }) => ppid);
  const reapers = new Set(names.reapers);
  const wrappers = new Set(names.wrappers);
  const tops = new Map<number, P | undefined>();
  const observerChain = chainOf(observerPid, byPid);
  const childrenOf = (pid: number): readonly P[] => children.get(pid) ?? [];

  const leaderAlive = (process: P): boolean => {
    if (process.session <= 1) return true;
    const leader = byPid.get(process.session);
    if (leader === undefined) return hidden;
    // A later process with the pid of the leader is not the leader.
    return leader.session === process.session && leader.startTicks <= process.startTicks && !hasEnded(leader);
  };

  const isReparented = (process: P): boolean => {
    const parent = byPid.get(process.ppid);
    // The kernel reparents orphans, so a missing parent is hidden, not dead.
    if (parent === undefined || process.kernel || process.pid <= 1) return false;
    if (wrappers.has(parent.comm)) return earliestStarted(childrenOf(parent.pid))?.pid !== process.pid;
    if (process.session === parent.session) return false;
    if (parent.pid === 1 || reapers.has(parent.comm)) return true;
    // A child has its parent's session or its own. Any other session comes from an ancestor that has exited.
    return (
      process.session !== process.pid && byPid.get(process.session)?.session !== process.session && !hidden
    );
  };

  const topOf = (process: P): P | undefined => {
    const trail: P[] = [];
    let top: P | undefined;
    let current: P | undefined = process;
    while (current !== undefined) {
      if (tops.has(current.pid)) {
        top = tops.get(current.pid);
        break;
      }
      // Set before the result is known, so that a cycle in an invalid proc root terminates.
      tops.set(current.pid, undefined);
      trail.push(current);
      if (isReparented(current)) {
        const inUse = observerChain.has(current.pid) || isProtectedName(current.comm, names.protected);
        top = inUse ? undefined : current;
        break;
      }
      current = byPid.get(current.ppid);
    }
    for (const { pid } of trail) tops.set(pid, top);
    return top;
  };

  return {
    get: (pid) => byPid.get(pid),
    childrenOf,
    topOf,
    isAdopted: (process) => isReparented(process) && isAdopter(byPid.get(process.ppid), process, names),
    leaderAlive,
    descendantsOf: createDescendantsOf(childrenOf),
  };
}

/** A parent that is neither init nor a known reaper may be the real one, unless it is younger than its child. */
function isAdopter(
  parent: TreeFacts | undefined,
  child: TreeFacts,
  { reapers, wrappers }: ReaperNames,
): boolean {
  if (parent === undefined) return false;
  return (
    parent.pid === 1 ||
    reapers.includes(parent.comm) ||
    wrappers.includes(parent.comm) ||
    child.startTicks < parent.startTicks
  );
}

/** Creates a function that lists the descendants of a process, leaves first, and caches its results. */
function createDescendantsOf<P extends TreeFacts>(
  childrenOf: (pid: number) => readonly P[],
): (pid: number) => readonly P[] {
  const known = new Map<number, readonly P[]>();
  return (pid) => {
    const cached = known.get(pid);
    if (cached !== undefined) return cached;
    const found: P[] = [];
    const seen = new Set([pid]);
    let level = [...childrenOf(pid)];
    while (level.length > 0) {
      const fresh = level.filter((child) => !seen.has(child.pid));
      for (const child of fresh) seen.add(child.pid);
      found.push(...fresh);
      level = fresh.flatMap((child) => childrenOf(child.pid));
    }
    const leavesFirst = found.toReversed();
    known.set(pid, leavesFirst);
    return leavesFirst;
  };
}

export function hasEnded({ state }: Pick<TreeFacts, 'state'>): boolean {
  return state === 'Z' || state === 'X';
}

/** Returns a process and its ancestors. */
function chainOf<P extends TreeFacts>(pid: number, byPid: ReadonlyMap<number, P>): ReadonlySet<number> {
  const chain = new Set<number>();
  for (let one = byPid.get(pid); one !== undefined && !chain.has(one.pid); one = byPid.get(one.ppid))
    chain.add(one.pid);
  return chain;
}

/** Returns the process that started first. */
function earliestStarted<P extends TreeFacts>(siblings: readonly P[]): P | undefined {
  let first: P | undefined;
  for (const sibling of siblings) {
    if (
      first === undefined ||
      sibling.startTicks < first.startTicks ||
      (sibling.startTicks === first.startTicks && sibling.pid < first.pid)
    )
      first = sibling;
  }
  return first;
}
