import type { ActionWorld } from './live-process.ts';
import type { PinnedTree } from './pinned-tree.ts';

const SETTLE_MS = 1000;
const POLL_MS = 10;

/** Stops a tree where it is, the root first so that it starts nothing new; `SIGCONT` undoes it. */
export async function pauseTree(world: ActionWorld, tree: PinnedTree): Promise<readonly number[]> {
  for (const process of tree.members().toReversed()) process.send('SIGSTOP');
  for (const process of tree.grow()) process.send('SIGSTOP');
  const deadline = world.monotonicMs() + SETTLE_MS;
  const running = (): readonly number[] =>
    tree
      .members()
      .filter((process) => !process.hasEnded() && !isStopped(world, process.pid))
      .map(({ pid }) => pid);
  while (running().length > 0 && world.monotonicMs() < deadline) await world.sleep(POLL_MS);
  return running();
}

function isStopped(world: ActionWorld, pid: number): boolean {
  const live = world.look(pid);
  return live === undefined || live.state === 'T' || live.state === 't';
}
