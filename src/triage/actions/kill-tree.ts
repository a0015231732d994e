import { differenceOf, type ActionContext } from './live-process.ts';
import type { PinnedProcess } from './pinned-process.ts';
import type { PinnedTree } from './pinned-tree.ts';

export interface KillOptions {
  /** How long to wait between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export interface KillOutcome {
  readonly ended: readonly number[];
  readonly surviving: readonly number[];
  /** Whether any process needed SIGKILL. */
  readonly forced: boolean;
  readonly timeToDeathMs: number | null;
  /** Why members did not get SIGKILL. */
  readonly changed: readonly string[];
}

const POLL_MS = 15;
/** A process exits right after SIGKILL unless it is blocked on a device. */
const KILL_WAIT_MS = 3000;

/**
 * Kills a tree, leaves first so that parents see their children exit: sends SIGTERM, waits for the grace period, checks the identity
 * of each process again, then sends SIGKILL. Children that appear meanwhile are included.
 */
export async function killTree(
  environment: ActionContext,
  tree: PinnedTree,
  { graceMs }: KillOptions,
): Promise<KillOutcome> {
  const startedAt = environment.monotonicMs();
  let rootEndedAt: number | undefined;
  const alive = (): readonly PinnedProcess[] => {
    const left = tree.members().filter((process) => !process.hasEnded());
    if (!left.includes(tree.root)) rootEndedAt ??= environment.monotonicMs();
    return left;
  };
  const waitForExit = async (
    deadline: number,
    signal: (process: PinnedProcess) => void,
    except: ReadonlyMap<number, string> = new Map(),
  ): Promise<void> => {
    while (alive().some(({ pid }) => !except.has(pid)) && environment.monotonicMs() < deadline) {
      // A cancelled apply sends no SIGKILL. Processes may still exit after their SIGTERM, and a resumed apply checks them again.
      environment.signal.throwIfAborted();
      await environment.sleep(POLL_MS);
      for (const process of tree.grow()) if (tree.refusal() === undefined) signal(process);
    }
  };

  for (const process of alive()) terminate(process);
  await waitForExit(startedAt + graceMs, terminate);

  // By pid, so that the wait below excludes them.
  const changed = new Map<number, string>();
  const force = (process: PinnedProcess): void => {
    const difference = findDifference(environment, process);
    if (difference === undefined) process.send('SIGKILL');
    else changed.set(process.pid, difference);
  };
  const stubborn = alive();
  if (stubborn.length > 0) {
    for (const process of stubborn) force(process);
    await waitForExit(environment.monotonicMs() + KILL_WAIT_MS, force, changed);
  }
  const surviving = alive().map(({ pid }) => pid);
  return {
    ended: tree.members().flatMap(({ pid }) => (surviving.includes(pid) ? [] : [pid])),
    surviving,
    forced: stubborn.length > 0,
    timeToDeathMs: rootEndedAt === undefined ? null : Math.round(rootEndedAt - startedAt),
    changed: [...changed.values()],
  };
}

function terminate(process: PinnedProcess): void {
  process.send('SIGTERM');
  // A stopped process handles SIGTERM only after SIGCONT.
  if (process.live.state === 'T') process.send('SIGCONT');
}

/** The pidfd guarantees the same process, but the process may run a different program since. */
function findDifference(environment: ActionContext, { pid, live }: PinnedProcess): string | undefined {
  const now = environment.readProcess(pid);
  return now === undefined ? undefined : differenceOf(live, now);
}
