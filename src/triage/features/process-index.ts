import { isProtectedName } from '../parameters/protected-names.ts';

/** The facts that place a process among the others. */
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

/** Names that decide how a tree of processes is read. */
export interface ReaperNames {
  /** Held by the machine itself: what hangs on one of these was not cut off. */
  readonly protected: readonly string[];
  /** Take in orphans beside the services they start: `systemd`, `init`. */
  readonly reapers: readonly string[];
  /** Start one program and do nothing else: `tini`, `docker-init`. */
  readonly wrappers: readonly string[];
}

export interface ProcessIndex<P extends TreeFacts> {
  readonly get: (pid: number) => P | undefined;
  readonly childrenOf: (pid: number) => readonly P[];
  /** The nearest ancestor, or the process itself, that was taken in by a reaper; nothing while the chain of parents is whole. */
  readonly topOf: (process: P) => P | undefined;
  /** Whether the leader of its session still runs; a hidden one counts as running. */
  readonly leaderAlive: (process: P) => boolean;
  /** Every descendant, leaves first. */
  readonly descendantsOf: (pid: number) => readonly P[];
}

/**
 * Arranges processes by pid, by parent and by whether their chain of parents was cut. Whoever looks is there, and so is everything it runs under:
 * a background job whose shell has ended is in use as long as it asks, and holds what hangs on it.
 */
export function indexProcesses<P extends TreeFacts>(
  processes: readonly P[],
  names: ReaperNames,
  hidden: boolean,
  observerPid = 0,
): ProcessIndex<P> {
  const byPid = new Map<number, P>();
  const children = new Map<number, P[]>();
  for (const process of processes) {
    byPid.set(process.pid, process);
    const siblings = children.get(process.ppid);
    if (siblings === undefined) children.set(process.ppid, [process]);
    else siblings.push(process);
  }
  const reapers = new Set(names.reapers);
  const wrappers = new Set(names.wrappers);
  const tops = new Map<number, P | undefined>();
  const looking = chainOf(observerPid, byPid);
  const childrenOf = (pid: number): readonly P[] => children.get(pid) ?? [];

  const leaderAlive = (process: P): boolean => {
    if (process.session <= 1) return true;
    const leader = byPid.get(process.session);
    if (leader === undefined) return hidden;
    // A later process with the leader's number leads nothing of this session.
    return leader.session === process.session && leader.startTicks <= process.startTicks && !hasEnded(leader);
  };

  const isReparented = (process: P): boolean => {
    const parent = byPid.get(process.ppid);
    // The kernel never leaves a dead parent: one that is not seen is hidden, not gone.
    if (parent === undefined || process.kernel || process.pid <= 1) return false;
    if (wrappers.has(parent.comm)) return firstBorn(childrenOf(parent.pid))?.pid !== process.pid;
    if (process.session === parent.session) return false;
    if (parent.pid === 1 || reapers.has(parent.comm)) return true;
    // A child has its parent's session or one of its own; another one was given to it by parents that are gone.
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
      // Marked before it is known, so that a circle in a made-up proc root ends.
      tops.set(current.pid, undefined);
      trail.push(current);
      if (isReparented(current)) {
        const held = looking.has(current.pid) || isProtectedName(current.comm, names.protected);
        top = held ? undefined : current;
        break;
      }
      current = byPid.get(current.ppid);
    }
    for (const { pid } of trail) tops.set(pid, top);
    return top;
  };

  const descendantsOf = createDescendantsOf(childrenOf);
  return { get: (pid) => byPid.get(pid), childrenOf, topOf, leaderAlive, descendantsOf };
}

/** Lists everything below a process, leaves first; each answer is kept. */
function createDescendantsOf<P extends TreeFacts>(
  childrenOf: (pid: number) => readonly P[],
): (pid: number) => readonly P[] {
  const known = new Map<number, readonly P[]>();
  return (pid) => {
    const before = known.get(pid);
    if (before !== undefined) return before;
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

/** A process and everything above it. */
function chainOf<P extends TreeFacts>(pid: number, byPid: ReadonlyMap<number, P>): ReadonlySet<number> {
  const chain = new Set<number>();
  for (let one = byPid.get(pid); one !== undefined && !chain.has(one.pid); one = byPid.get(one.ppid))
    chain.add(one.pid);
  return chain;
}

function firstBorn<P extends TreeFacts>(siblings: readonly P[]): P | undefined {
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
