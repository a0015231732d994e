import { differenceOf, type ActionContext } from './live-process.ts';
import type { PinnedProcess } from './pinned-process.ts';
import type { PinnedTree } from './pinned-tree.ts';

export interface KillOptions {
  /** How long the tree may take to end after it was asked to. */
  readonly graceMs: number;
}

export interface KillOutcome {
  readonly ended: readonly number[];
  readonly surviving: readonly number[];
  /** Whether somebody had to be ended by force. */
  readonly forced: boolean;
  readonly timeToDeathMs: number | null;
  /** Why members were left alone at the second stage. */
  readonly changed: readonly string[];
}

const POLL_MS = 15;
/** A killed process ends as soon as the kernel gets to it, unless it waits for a device. */
const KILL_WAIT_MS = 3000;

/**
 * Ends a tree, leaves first so that a parent sees its children end before it must: asks, waits, looks again whether each is still
 * who it was, then forces. Children that appear meanwhile belong to it.
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
  const settle = async (
    deadline: number,
    signal: (process: PinnedProcess) => void,
    except: ReadonlyMap<number, string> = new Map(),
  ): Promise<void> => {
    while (alive().some(({ pid }) => !except.has(pid)) && environment.monotonicMs() < deadline) {
      // Nobody is forced on behalf of a caller that has gone; what was asked to end may do so, and a resumption looks again.
      environment.signal.throwIfAborted();
      await environment.sleep(POLL_MS);
      for (const process of tree.grow()) if (tree.refusal() === undefined) signal(process);
    }
  };

  for (const process of alive()) ask(process);
  await settle(startedAt + graceMs, ask);

  // By pid, so that nobody waits for those that are left alone.
  const changed = new Map<number, string>();
  const force = (process: PinnedProcess): void => {
    const difference = stillSame(environment, process);
    if (difference === undefined) process.send('SIGKILL');
    else changed.set(process.pid, difference);
  };
  const stubborn = alive();
  if (stubborn.length > 0) {
    for (const process of stubborn) force(process);
    await settle(environment.monotonicMs() + KILL_WAIT_MS, force, changed);
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

function ask(process: PinnedProcess): void {
  process.send('SIGTERM');
  // A stopped process would hear of it only when somebody wakes it.
  if (process.live.state === 'T') process.send('SIGCONT');
}

/** The descriptor means the same process; whether it is still the same program is another question. */
function stillSame(environment: ActionContext, { pid, live }: PinnedProcess): string | undefined {
  const now = environment.look(pid);
  return now === undefined ? undefined : differenceOf(live, now);
}
